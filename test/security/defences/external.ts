// At external servers: what leaves towards them, where they may be, and what they get to do.
import { type Defence, inFile } from './defence.ts'

const SHADOW = 'a server cannot take a name of the gateway or of another server'
const ROUTES = 'by the router nothing is reached that is not reached directly'
const ADDRESSES = 'addresses that lead to credentials of a cloud or back here are not opened'

export const external: readonly Defence[] = [
  ...inFile('external', [
    {
      attack: '23 what a client sends of itself goes on to the server',
      file: 'src/upstream/bridge.ts',
      text: 'if (trace === undefined) return heard',
      without: "if (trace === undefined) return { canary: 'canary' }",
      test: 'what a client sends to be let in never leaves, and what lets us in never comes back',
    },
    {
      attack: '24 one client at the server of another',
      file: 'src/upstream/pool.ts',
      text: "this.#options.spec.isolation === 'client' ? caller.id : ''",
      without: "this.#options.spec.isolation === 'client' ? 'same' : ''",
      test: 'one client’s server is never another’s where clients must not meet',
    },
    {
      attack: '25 the credentials of a cloud machine',
      file: 'src/upstream/reach.ts',
      text: "if (isForbiddenHost(host)) return 'leads",
      without: "if (host === '') return 'leads",
      test: ADDRESSES,
    },
    {
      attack: '25 the gateway as a server of its own',
      file: 'src/upstream/reach.ts',
      text: "if (isSelf(url, host, self)) return 'leads",
      without: "if (host === self.publicUrl?.host) return 'leads",
      test: ADDRESSES,
    },
    {
      attack: '27 secrets of the gateway in the environment of a child',
      file: 'src/config/child-environment.ts',
      text: "names.has(name) || name.startsWith('LC_')",
      without: "names.has(name) || name !== ''",
      test: 'no secret of the gateway reaches a child, and no tool can change what is started',
    },
    {
      attack: '30 a name of the gateway',
      file: 'src/upstream/source-id.ts',
      text: 'return RESERVED.has(id) || ownIds.includes(id) ?',
      without: "return id === '' ?",
      test: SHADOW,
    },
    {
      attack: '30 a name that looks like another',
      file: 'src/upstream/names.ts',
      text: '    for (const other of others) {',
      without: '    for (const other of others.slice(others.length)) {',
      test: SHADOW,
    },
    {
      attack: '31 a link to a file of this machine',
      file: 'src/upstream/uris.ts',
      text: "if (block['type'] === 'resource_link') return withPublicUri(id, block)",
      without: "if (block['type'] === 'resource_link') return block",
      test: 'a forged link leads to the server that forged it, and to nothing of ours',
    },
  ]),
  ...inFile('external-routes', [
    {
      attack: '32 a tool that the operator has denied',
      file: 'src/upstream/view.ts',
      text: '&& !deny.includes(original)',
      without: "&& original !== ''",
      test: ROUTES,
    },
    {
      attack: '34 an answer of another caller',
      file: 'src/runtime/steps/state.ts',
      text: "if (payload['c'] !== callerMark(run.caller.id) || !(",
      without: 'if (!(',
      test: 'a question without a session is answered by whom it was put to, once',
    },
    {
      attack: '34 an answer to another tool',
      file: 'src/runtime/steps/state.ts',
      text: "|| payload['t'] !== publicName) return false",
      without: ') return false',
      test: 'a question without a session is answered by whom it was put to, once',
    },
  ]),
  {
    attack: '25 a name that leads elsewhere than yesterday',
    file: 'src/gateway/open-link.ts',
    text: 'if (addresses.some((address) => isForbiddenHost(address)))',
    without: 'if (addresses.length > 99)',
    tests: 'test/src/gateway/open-link.test.ts',
    test: 'a name that leads to the credentials of a cloud today is not connected to',
  },
]
