// Between a client and a tool: origins, sessions, headers, bodies, streams.
import { inFile } from './defence.ts'

const ORIGINS = 'a page of any other origin is refused at every mount, with the token of the owner in hand'
const SESSIONS = 'the session of somebody else is unknown, with a good token and with none, and never read from a URL'
const BESIDE = 'a message beside an event stream without a session, or with that of somebody else, is nobody’s'
const HELLOS = 'thousands who say hello and never leave are bounded, and who is at work stays'
const STREAMS = 'one stream more than the bound is refused with a time to come back, and leaves nothing behind'
const JSONS = 'JSON that hides something for later, or is too deep to walk, reaches no tool'

export const transport = inFile('transport', [
  {
    attack: '1 a foreign page calls with its own Origin',
    file: 'plugins/armour/network.ts',
    text: 'else return next(foreignOrigin())',
    without: 'else allowOrigin(reply.raw, origin)',
    test: ORIGINS,
  },
  {
    attack: '2 a name is rebound to this machine',
    file: 'plugins/armour/network.ts',
    text: 'if (host === undefined || !admitsHost(host, raw.socket))',
    without: 'if (host === undefined)',
    test: 'a name that was rebound to this machine is refused at every mount',
  },
  {
    attack: '4 a session id is stolen',
    file: 'src/mcp/sessions.ts',
    text: ' || session.callerId !== callerId',
    without: '',
    test: SESSIONS,
  },
  {
    attack: '5 a message without a session is attributed to the only client',
    file: 'src/mcp/sse-endpoint.ts',
    text: 'if (sessionId === undefined)',
    without: "if (sessionId === '')",
    test: BESIDE,
  },
  {
    attack: '5 a message with the session of somebody else',
    file: 'src/mcp/sessions.ts',
    text: ' || session.callerId !== callerId',
    without: '',
    test: BESIDE,
  },
  {
    attack: '6 headers name another tool than the body',
    file: 'src/mcp/hot-path.ts',
    text: "headers['mcp-name'] !== params['name'] || ",
    without: '',
    test: 'headers that name another method or tool than the body are refused, and nothing runs',
  },
  {
    attack: '6 headers name another method than the body',
    file: 'src/mcp/hot-path.ts',
    text: "if (params === undefined || headers['mcp-method'] !== method) return undefined",
    without: 'if (params === undefined) return undefined',
    test: 'headers that name another method or tool than the body are refused, and nothing runs',
  },
  {
    attack: '7 keys that change prototypes',
    file: 'plugins/armour/body.ts',
    text: "app.getDefaultJsonParser('error', 'error')",
    without: "app.getDefaultJsonParser('ignore', 'ignore')",
    test: JSONS,
  },
  {
    attack: '7 JSON that costs more than its bytes',
    file: 'plugins/armour/body.ts',
    text: 'if (excess !== undefined) return next(tooMuch(excess))',
    without: '',
    test: JSONS,
  },
  {
    attack: '8 thousands of sessions',
    file: 'src/mcp/sessions.ts',
    text: 'if (own >= this.#bounds.perCallerMax && !this.#evict(callerId)) return false',
    without: 'if (own < 0) return false',
    test: HELLOS,
  },
  {
    attack: '8 one stream more than the bound',
    file: 'src/lib/stream-budget.ts',
    text: 'if (this.#open >= this.#max)',
    without: 'if (this.#open < 0)',
    test: STREAMS,
  },
  {
    attack: '9 a stream is picked up by its last event',
    file: 'src/mcp/sessions.ts',
    text: ' || session.callerId !== callerId',
    without: '',
    test: 'the stream of somebody else cannot be picked up by the id of its last event',
  },
])

export const attacks = inFile('attacks', [
  {
    attack: '3 a form of a foreign page',
    file: 'plugins/armour/body.ts',
    text: "app.addContentTypeParser<Buffer>('application/json',",
    without: "app.addContentTypeParser<Buffer>('*',",
    test: 'a page cannot plant a memory with a form or a plain-text request',
  },
  {
    attack: '7 twenty megabytes',
    file: 'plugins/mcp/index.ts',
    text: 'bodyLimit: app.config.bodyBytesMax,\n',
    without: 'bodyLimit: 64 << 20,\n',
    test: 'a body of twenty megabytes is refused, announced or not, and memory stays bounded',
  },
])
