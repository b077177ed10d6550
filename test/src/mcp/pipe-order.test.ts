// In which order the messages of one pipe start.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import fc from 'fast-check'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { PipeOrder } from '../../../src/mcp/pipe-order.ts'

const timeout = 20_000

const request = (method: string, id: number, params?: Record<string, unknown>): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
})
const write = (id: number) => request('tools/call', id, { name: 'write' })
const read = (id: number) => request('tools/call', id, { name: 'read' })

function pipe(t: TestContext, listsMove = false) {
  const started: unknown[] = []
  const order = new PipeOrder({
    isWrite: ({ name }) => name === 'write',
    listsMove,
    start: (message) => void started.push('id' in message ? message.id : 'method' in message && message.method),
  })
  t.after(() => order.close())
  return { order, started, add: (...messages: JSONRPCMessage[]) => messages.forEach((message) => order.add(message)) }
}

test('a read waits for the writes before it, and what comes after it starts after it', { timeout }, (t) => {
  const { order, started, add } = pipe(t)
  add(read(1), write(2), write(3), read(4), write(5), request('resources/read', 6, { uri: 'x' }), read(7))
  assert.deepEqual(started, [1, 2, 3])
  order.pass(3)
  assert.deepEqual(started, [1, 2, 3])
  order.pass(2)
  assert.deepEqual(started, [1, 2, 3, 4, 5])
  order.pass(4)
  assert.deepEqual(started, [1, 2, 3, 4, 5])
  order.pass(5)
  assert.deepEqual(started, [1, 2, 3, 4, 5, 6, 7])
})

test('pings, lists, cancellations, progress and answers never wait', { timeout }, (t) => {
  const { started, add } = pipe(t)
  add(write(1), read(2), request('ping', 3), request('tools/list', 4), { jsonrpc: '2.0', id: 5, result: {} })
  add({ jsonrpc: '2.0', method: 'notifications/cancelled' }, { jsonrpc: '2.0', method: 'notifications/progress' })
  assert.deepEqual(started, [1, 3, 4, 5, 'notifications/cancelled', 'notifications/progress'])
})

test('where calls change the lists, a list waits for the writes before it like any read', { timeout }, (t) => {
  const { order, started, add } = pipe(t, true)
  add(write(1), request('ping', 2), request('tools/list', 3), request('prompts/list', 4), request('resources/list', 5))
  assert.deepEqual(started, [1, 2])
  order.pass(1)
  assert.deepEqual(started, [1, 2, 3, 4, 5])
})

test(
  'a request that is taken back while it waits never starts, and a write that is holds nothing up',
  { timeout },
  (t) => {
    const { order, started, add } = pipe(t)
    add(write(1), read(2), read(3))
    order.cancel(2)
    assert.deepEqual(started, [1])
    order.cancel(1)
    assert.deepEqual(started, [1, 3])
  },
)

test('no wait is longer than its bound, and each wait has a bound of its own', { timeout }, (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { order, started, add } = pipe(t)
  add(write(1), read(2), write(3), read(4))
  t.mock.timers.tick(9_000)
  order.pass(1)
  assert.deepEqual(started, [1, 2, 3])
  t.mock.timers.tick(9_000)
  assert.deepEqual(started, [1, 2, 3])
  t.mock.timers.tick(1_000)
  assert.deepEqual(started, [1, 2, 3, 4])
})

test('whatever comes and ends in whatever order, every read sees every write before it', { timeout }, (t) => {
  const step = fc.constantFrom('read', 'write', 'end-first', 'end-last')
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { order, started, add } = pipe(t)
      const running: number[] = []
      const written = new Set<number>()
      let seen = 0
      const note = (): void => {
        for (const id of started.slice(seen).map(Number)) {
          running.push(id)
          if (id % 2 === 0)
            for (let before = 1; before < id; before += 2) assert.ok(!asked.has(before) || written.has(before))
        }
        seen = started.length
      }
      const asked = new Set<number>()
      let next = 0
      for (const name of steps) {
        if (name === 'read' || name === 'write') {
          // Odd ids write, even ids read.
          next += (next % 2 === 0) === (name === 'write') ? 1 : 2
          asked.add(next)
          add(name === 'write' ? write(next) : read(next))
        } else {
          const id = name === 'end-first' ? running.shift() : running.pop()
          if (id === undefined) continue
          written.add(id)
          order.pass(id)
        }
        note()
      }
      while (running.length > 0) {
        const id = running.pop() ?? 0
        written.add(id)
        order.pass(id)
        note()
      }
      assert.deepEqual(started, [...asked])
      order.close()
    }),
  )
})
