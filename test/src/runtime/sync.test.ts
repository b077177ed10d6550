import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBus, type Change } from '../../../src/runtime/bus.ts'
import { CompileError } from '../../../src/runtime/compile-error.ts'
import { fault } from '../../../src/runtime/fault.ts'
import { needInput, reply } from '../../../src/runtime/reply.ts'
import type { Resource } from '../../../src/runtime/server.ts'
import { defineTool } from '../../../src/runtime/tool.ts'
import { call, owner, readTool, serve, textOf } from './fixture.ts'

const resource = (uri: string): Resource => ({
  uri,
  name: uri,
  description: uri,
  mimeType: 'text/plain',
  subscribable: true,
  read: () => ({ text: uri }),
})
const resources = [resource('memory://tags'), resource('memory://categories'), resource('crow://context')]
const sync = { invalidates: ['memory://*'] }

function listening() {
  const bus = createBus()
  const heard: Change[] = []
  bus.on((change) => heard.push(change))
  return { bus, heard }
}

test('a success tells once about each resource, a failure about none', { timeout: 5000 }, async () => {
  const { bus, heard } = listening()
  const tools = [
    readTool('ok', { effect: 'write', sync }),
    readTool('later', { effect: 'write', sync, handle: async () => 'later' }),
    readTool('faults', { effect: 'write', sync, handle: () => fault('CONFLICT', 'no') }),
    readTool('throws', {
      effect: 'write',
      sync,
      handle: () => {
        throw new Error('no')
      },
    }),
    readTool('says_no', { effect: 'write', sync, handle: () => reply.ready({ content: [], isError: true }) }),
  ]
  const catalog = serve(tools, { bus }, { resources })
  for (const name of ['faults', 'throws', 'says_no']) await call(catalog, name)
  await call(catalog, 'ok', { nonsense: 1 })
  assert.deepEqual(heard, [])
  for (const name of ['ok', 'later']) {
    heard.length = 0
    await call(catalog, name)
    assert.deepEqual(heard, [
      { kind: 'resource', uri: 'memory://tags' },
      { kind: 'resource', uri: 'memory://categories' },
    ])
  }
})

test('a question and a preview have changed nothing; the last round tells once', { timeout: 5000 }, async () => {
  const { bus, heard } = listening()
  const asks = readTool('asks', {
    effect: 'write',
    sync,
    asks: true,
    handle: (_input, ctx) => (ctx.elicit.state === undefined ? needInput({}, 's') : 'done'),
  })
  const removes = defineTool({
    name: 'removes',
    summary: 'Removes.',
    description: 'Removes.',
    effect: 'destroy',
    sync: { invalidates: ['crow://context'] },
    preview: () => ({ text: 'sure?', version: 1 }),
    handle: () => 'gone',
  })
  const catalog = serve([asks, removes], { bus }, { resources })
  const asked = await call(catalog, 'asks', {}, { elicit: { supported: true } })
  const previewed = textOf(await call(catalog, 'removes'))
  assert.deepEqual(heard, [])
  assert.ok(asked.kind === 'input-required')
  await call(catalog, 'asks', {}, { elicit: { supported: true, state: asked.state, responses: {} } })
  assert.equal(heard.length, 2)
  await call(catalog, 'removes', { confirm_token: /confirm_token "([^"]+)"/.exec(previewed)?.[1] })
  assert.deepEqual(heard.slice(2), [{ kind: 'resource', uri: 'crow://context' }])
})

test('what no server declares cannot be invalidated', { timeout: 5000 }, () => {
  assert.throws(
    () => serve([readTool('x', { sync: { invalidates: ['memory://nothing'] } })], {}, { resources }),
    CompileError,
  )
})

test('freshness is said in the description, in one word', { timeout: 5000 }, () => {
  const catalog = serve([
    readTool('a', { sync: { cache: 'no-store' } }),
    readTool('b', { sync: { cache: 'immutable' } }),
    readTool('c'),
  ])
  assert.deepEqual(
    catalog.listTools('shop', owner).map((tool) => tool.description),
    ['Does a. [no-store]', 'Does b. [immutable]', 'Does c.'],
  )
})

test('a listener that throws harms neither the others nor the call', { timeout: 5000 }, async () => {
  const errors: unknown[] = []
  const bus = createBus((error) => errors.push(error))
  let heard = 0
  bus.on(() => {
    throw new Error('bad listener')
  })
  const off = bus.on(() => void heard++)
  const catalog = serve([readTool('ok', { effect: 'write', sync })], { bus }, { resources })
  assert.equal(textOf(await call(catalog, 'ok')), 'ok')
  assert.deepEqual([heard, errors.length], [2, 2])
  off()
  off()
  await call(catalog, 'ok')
  assert.equal(heard, 2)
})
