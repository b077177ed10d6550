// The floor of a gateway in front of a stdio server: HTTP in front, the child behind, ids rewritten, and nothing else.
// Usage: node bench/upstream/relay.ts COMMAND ARGS...
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'

type Message = Record<string, unknown>

const [command = '', ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
const waiting = new Map<unknown, (message: Message) => void>()
let sent = 0

createInterface({ input: child.stdout }).on('line', (line) => {
  if (!line.startsWith('{')) return
  const message: Message = JSON.parse(line)
  const resolve = waiting.get(message['id'])
  if (message['method'] !== undefined || resolve === undefined) return
  waiting.delete(message['id'])
  resolve(message)
})

function ask(message: Message): Promise<Message> {
  const id = ++sent
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    child.stdin.write(`${JSON.stringify({ ...message, id })}\n`)
  })
}

const initialized = ask({
  jsonrpc: '2.0',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'relay', version: '1' } },
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const message: Message = JSON.parse(await text(request))
  if (message['id'] === undefined) {
    response.writeHead(202).end()
    return
  }
  const isFirst = message['method'] === 'initialize'
  const answered = isFirst ? await initialized : await ask(message)
  const body = Buffer.from(JSON.stringify({ ...answered, id: message['id'] }))
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    ...(isFirst ? { 'mcp-session-id': randomUUID() } : {}),
  })
  response.end(body)
}

const server = createServer((request, response) => void answer(request, response))
server.keepAliveTimeout = 60_000
await initialized
child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`listening http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`)
})
process.on('SIGTERM', () => {
  child.kill()
  process.exit(0)
})
