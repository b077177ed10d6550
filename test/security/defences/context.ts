// What clients are told: who may read it, and who may change it.
import type { Defence } from './defence.ts'

const APPROVAL = 'test/src/servers/memory/approval.test.ts'

export const context: readonly Defence[] = [
  {
    attack: 'a tool writes into what every client is told',
    file: 'src/servers/memory/approval.ts',
    text: "return ports.contextWrites !== 'free'",
    without: 'return ports.contextWrites === undefined',
    tests: APPROVAL,
    test: 'a change waits: nothing that a model reads has it before it is approved',
  },
  {
    attack: 'a change hides in characters that show nothing',
    file: 'src/servers/memory/render/section-diff.ts',
    text: 'return line.replaceAll(UNSEEN, (character) =>',
    without: 'return line.replaceAll(/(?!)/g, (character) =>',
    tests: APPROVAL,
    test: 'a client that can ask shows the person the whole difference in the same call',
  },
  {
    attack: 'a section that has changed is overwritten by an old change',
    file: 'src/servers/memory/approval.ts',
    text: 'if (stale) throw staleChange(id)',
    without: 'if (stale && id < 0) throw staleChange(id)',
    tests: APPROVAL,
    test: 'a section that has become another one is not overwritten by an old change',
  },
  {
    attack: 'a stranger to memories is told what sections say',
    file: 'src/servers/memory/instructions.ts',
    text: 'const mayRead = mayReadSections(caller)',
    without: 'const mayRead = mayReadSections(caller) || true',
    tests: 'test/src/servers/memory/instructions.test.ts',
    test: 'only who may read memories is told what sections say; other instances never are',
  },
  {
    attack: 'another instance reads crow.md',
    file: 'src/servers/memory/reading.ts',
    text: 'readScope: SECTIONS_SCOPE, peers: false })',
    without: 'readScope: SECTIONS_SCOPE, peers: true })',
    tests: 'test/plugins/crow-md/crow-md.test.ts',
    test: 'other instances never read it, whatever they hold',
  },
]
