// One client on a pipe that does not wait for answers: what it reads is what it wrote, and garbage in between is answered.
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { serveStdioServer } from '../../src/mcp/stdio.ts'
import type { Eras } from '../../src/mcp/protocol.ts'
import type { Catalog } from '../../src/runtime/catalog.ts'
import { compileCatalog } from '../../src/runtime/catalog.ts'
import { at, call, initialize, modern } from '../fixtures/rpc.ts'
import { startApp } from '../fixtures/running-app.ts'
import { wireServer } from '../fixtures/wire-server.ts'

const timeout = 60_000

interface Pipe {
  /** Each argument is a line; text and bytes are written as they are. */
  send(...lines: unknown[]): void
  /** Writes this without a newline and closes the pipe; resolves when the connection is over. */
  end(line: unknown): Promise<void>
  /** Messages so far. */
  readonly messages: unknown[]
  /** Resolves once so many messages have come. */
  count(messages: number): Promise<void>
}

const bytes = (line: unknown): Buffer =>
  Buffer.isBuffer(line) ? line : Buffer.from(typeof line === 'string' ? line : JSON.stringify(line))

function connect(t: TestContext, catalog: Catalog, server: string, eras: Eras = 'both'): Pipe {
  const input = new PassThrough()
  const output = new PassThrough()
  const messages: unknown[] = []
  const looks: (() => void)[] = []
  let text = ''
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n')
    text = lines.pop() ?? ''
    messages.push(...lines.map((line): unknown => JSON.parse(line)))
    for (const look of looks.splice(0)) look()
  })
  const served = serveStdioServer(catalog, server, {
    caller: { id: 'stdio', kind: 'stdio', scopes: 'all' },
    eras,
    input,
    output,
  })
  t.after(() => (input.end(), served))
  return {
    messages,
    send: (...lines) => void input.write(Buffer.concat(lines.flatMap((line) => [bytes(line), Buffer.from('\n')]))),
    end: (line) => (input.end(bytes(line)), served),
    async count(wanted) {
      while (messages.length < wanted) await new Promise<void>((resolve) => looks.push(resolve))
    },
  }
}

const answerTo = ({ messages }: Pipe, id: unknown): unknown => messages.find((message) => at(message, 'id') === id)

for (const era of ['2025', '2026'] as const) {
  test(`in ${era}, what was stored is found by a search sent behind it without waiting`, { timeout }, async (t) => {
    const running = await startApp()
    t.after(() => running.close())
    const pipe = connect(t, running.app.catalog, 'memory', era)
    const tool = (id: string, name: string, args: object): unknown => {
      const params = { name, arguments: args }
      return era === '2025' ? call('tools/call', params, id) : modern('tools/call', params, { id }).body
    }
    const rounds = 20
    const opening = era === '2025' ? [initialize()] : []
    const lines = Array.from({ length: rounds }, (_, round) => [
      tool(`w${round}`, 'crow_store_memory', { content: `Pipelined fact zebra${round}q stays.` }),
      tool(`r${round}`, 'crow_search_memories', { query: `zebra${round}q` }),
    ])
    pipe.send(...opening, ...lines.flat())
    await pipe.count(opening.length + 2 * rounds)
    for (let round = 0; round < rounds; round++)
      assert.match(
        JSON.stringify(answerTo(pipe, `r${round}`)),
        new RegExp(`fact zebra${round}q stays`),
        `round ${round}`,
      )
  })
}

// Shorter than the longest that a read waits for a write.
const atOnce = { timeout: 8_000 }

test('a write that asks the user holds nothing up, and pings pass a read that waits', atOnce, async (t) => {
  const wire = wireServer()
  const pipe = connect(t, compileCatalog([wire.definition]), 'wire', '2025')
  pipe.send(initialize({ elicitation: {} }))
  await pipe.count(1)
  const echo = call('tools/call', { name: 'echo', arguments: { text: 'seen' } }, 'read')
  pipe.send(
    call('tools/call', { name: 'forget', arguments: { id: 5 } }, 'write'),
    echo,
    call('ping', undefined, 'ping'),
  )
  await pipe.count(4)
  const question = pipe.messages.find((message) => at(message, 'method') === 'elicitation/create')
  assert.equal(at(answerTo(pipe, 'read'), 'result.content.0.text'), 'seen')
  assert.deepEqual(at(answerTo(pipe, 'ping'), 'result'), {})
  pipe.send({ jsonrpc: '2.0', id: at(question, 'id'), result: { action: 'accept', content: { confirm: true } } })
  await pipe.count(5)
  assert.equal(at(answerTo(pipe, 'write'), 'result.content.0.text'), 'forgot 5')
})

test('a line that is no message is answered, and the next one is served', { timeout }, async (t) => {
  const pipe = connect(t, compileCatalog([wireServer().definition]), 'wire', 'both')
  const parse = { code: -32700, id: null }
  const invalid = { code: -32600, id: null }
  const cases = [
    ['this is no JSON', parse],
    ['{"jsonrpc":"2.0","id":1,"method":"pi', parse],
    [Buffer.from([0x22, 0xff, 0x22]), parse],
    ['1', invalid],
    [[call('ping')], invalid],
    [
      { jsonrpc: '1.0', id: 7, method: 'ping' },
      { code: -32600, id: 7 },
    ],
    ['x'.repeat((10 << 20) + 1), invalid],
  ] as const
  pipe.send(...cases.map(([line]) => line))
  await pipe.count(cases.length)
  assert.deepEqual(
    pipe.messages.map((message) => ({ code: at(message, 'error.code'), id: at(message, 'id') })),
    cases.map(([, answer]) => answer),
  )
  // Neither an empty line nor a broken answer gets one.
  pipe.send('', '  ', { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'x' } }, initialize())
  await pipe.count(cases.length + 1)
  assert.equal(at(pipe.messages.at(-1), 'id'), 'init')
})

for (const era of ['2025', '2026'] as const)
  test(`in ${era}, the last request needs no newline before the pipe closes`, { timeout }, async (t) => {
    const pipe = connect(t, compileCatalog([wireServer().definition]), 'wire')
    await pipe.end(era === '2025' ? initialize() : modern('tools/list', {}, { id: 'init' }).body)
    assert.ok(at(answerTo(pipe, 'init'), 'result') !== undefined)
  })

test('half a message before the pipe closes is answered as what it is', { timeout }, async (t) => {
  const pipe = connect(t, compileCatalog([wireServer().definition]), 'wire')
  await pipe.end('{"jsonrpc":"2.0","id":1,"method":"pi')
  assert.deepEqual(
    pipe.messages.map((message) => at(message, 'error.code')),
    [-32700],
  )
})

test('a flood of garbage gets a few answers, and requests in it all of theirs', { timeout }, async (t) => {
  const clock = { now: () => 1_000 }
  const pipe = connect(t, compileCatalog([wireServer().definition], { clock }), 'wire', '2025')
  pipe.send(initialize())
  await pipe.count(1)
  pipe.send(
    ...Array.from({ length: 1_000 }, (_, index) => (index % 100 === 99 ? call('ping', undefined, index) : 'garbage')),
  )
  await pipe.count(21)
  assert.equal(pipe.messages.filter((message) => at(message, 'error.code') === -32700).length, 10)
  assert.equal(pipe.messages.filter((message) => typeof at(message, 'id') === 'number').length, 10)
})
