import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EndEvent, PipelineObserver, StartEvent, StepEvent } from '../../../src/runtime/observe.ts'
import { fault } from '../../../src/runtime/fault.ts'
import { Probe } from '../../../src/runtime/hooks.ts'
import { defineTool } from '../../../src/runtime/tool.ts'
import { compileCatalog } from '../../../src/runtime/catalog.ts'
import { renderPrompt } from '../../../src/runtime/prompt.ts'
import { readResource } from '../../../src/runtime/read.ts'
import { defineServer, type Resource } from '../../../src/runtime/server.ts'
import { call, codeOf, gate, memoryLog, owner, readTool, serve, textOf } from './fixture.ts'

function recorder(id: string) {
  const starts: StartEvent[] = []
  const steps: StepEvent[] = []
  const ends: EndEvent[] = []
  const observer: PipelineObserver = {
    id,
    onStart: (event) => void starts.push(event),
    onStep: (event) => void steps.push(event),
    onEnd: (event) => void ends.push(event),
  }
  return { observer, starts, steps, ends }
}

test('without observers a call reads no clock and makes nothing for tracing', { timeout: 5000 }, async (t) => {
  let reads = 0
  const clock = { now: () => (reads++, 0), monotonicMs: () => (reads++, 0) }
  const spies = [
    t.mock.method(Date, 'now'),
    t.mock.method(performance, 'now'),
    t.mock.method(process, 'hrtime'),
    t.mock.method(process.hrtime, 'bigint'),
  ]
  const probes = t.mock.method(Probe.prototype, 'end')
  const catalog = serve(
    [
      readTool('now'),
      readTool('later', { handle: async () => 'later' }),
      readTool('bad', { handle: () => fault('NOT_FOUND', 'no') }),
    ],
    { clock },
  )
  const meta = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
  for (const name of ['now', 'later', 'bad', 'unknown']) await call(catalog, name, {}, { meta })
  assert.equal(reads, 0)
  assert.deepEqual(
    spies.map((spy) => spy.mock.callCount()),
    [0, 0, 0, 0],
  )
  assert.equal(probes.mock.callCount(), 0)
  const off = catalog.observe(recorder('watch').observer)
  await call(catalog, 'now', {}, { meta })
  assert.ok(reads > 2, 'the spies do see a call that is observed')
  assert.equal(probes.mock.callCount(), 1)
  off()
  reads = 0
  await call(catalog, 'now', {}, { meta })
  assert.equal(reads, 0)
})

test('debug, trace and metrics together each receive every event', { timeout: 5000 }, async () => {
  const all = ['debug', 'trace', 'metrics'].map(recorder)
  const catalog = serve([readTool('one', { handle: async () => 'één' })], {
    observers: all.map(({ observer }) => observer),
  })
  await call(catalog, 'one')
  for (const { starts, steps, ends } of all) {
    assert.equal(starts.length, 1)
    assert.deepEqual(
      steps.map((step) => step.step),
      ['permit', 'check', 'guard', 'handle', 'present', 'fit'],
    )
    assert.equal(ends.length, 1)
    const [end] = ends
    assert.deepEqual(
      [end?.outcome, end?.tool, end?.server, end?.effect, end?.bytes, end?.isError],
      ['ok', 'one', 'shop', 'read', 5, false],
    )
  }
  assert.deepEqual(all[0]?.ends, all[1]?.ends)
})

test('every kind of ending is told exactly once, with its code and whose fault it was', { timeout: 5000 }, async () => {
  const { observer, ends } = recorder('audit')
  const destroy = defineTool({
    name: 'gone',
    summary: 'Gone.',
    description: 'Gone.',
    effect: 'destroy',
    preview: () => ({ text: '?', version: 1 }),
    handle: () => 'x',
  })
  const catalog = serve(
    [
      readTool('ok'),
      readTool('missing', { handle: () => fault('NOT_FOUND', 'no') }),
      readTool('broken', {
        handle: async () => {
          throw new Error('x')
        },
      }),
      readTool('slow', { limits: { deadlineMs: 30 }, handle: () => new Promise<string>(() => undefined) }),
      destroy,
    ],
    { observers: [observer] },
  )
  for (const name of ['ok', 'missing', 'broken', 'slow', 'gone', 'nothing']) await call(catalog, name)
  await call(catalog, 'ok', { nope: 1 })
  assert.deepEqual(
    ends.map((end) => [end.tool, end.outcome, end.code, end.blame]),
    [
      ['ok', 'ok', undefined, undefined],
      ['missing', 'fault', 'NOT_FOUND', 'caller'],
      ['broken', 'fault', 'INTERNAL_ERROR', 'system'],
      ['slow', 'fault', 'TIMEOUT', 'system'],
      ['gone', 'confirm', 'CONFIRM_REQUIRED', 'caller'],
      ['nothing', 'unknown-tool', 'UNKNOWN_TOOL', 'caller'],
      ['ok', 'fault', 'VALIDATION_ERROR', 'caller'],
    ],
  )
  assert.match(ends[2]?.incident ?? '', /^[0-9a-f-]{36}$/)
})

test(
  "a client's trace context reaches handlers and observers; a malformed one reads as absent",
  { timeout: 5000 },
  async () => {
    const { observer, ends } = recorder('trace')
    const catalog = serve([readTool('one', { handle: (_input, ctx) => ctx.trace?.traceId ?? 'none' })], {
      observers: [observer],
    })
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const meta = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: 'vendor=1', baggage: 'tenant=x' }
    assert.equal(textOf(await call(catalog, 'one', {}, { meta })), traceId)
    assert.deepEqual(ends[0]?.trace, {
      traceId,
      parentId: '00f067aa0ba902b7',
      sampled: true,
      tracestate: 'vendor=1',
      baggage: 'tenant=x',
    })
    for (const traceparent of [
      '',
      'x',
      `ff-${traceId}-00f067aa0ba902b7-01`,
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      5,
      null,
    ]) {
      assert.equal(textOf(await call(catalog, 'one', {}, { meta: { traceparent } })), 'none')
    }
    const long = { ...meta, tracestate: 'x'.repeat(513), baggage: 'a\nb' }
    await call(catalog, 'one', {}, { meta: long })
    assert.deepEqual(Object.keys(ends.at(-1)?.trace ?? {}), ['traceId', 'parentId', 'sampled'])
  },
)

test('an observer that throws is logged and harms nobody', { timeout: 5000 }, async () => {
  const log = memoryLog()
  const { observer, ends } = recorder('good')
  const bad: PipelineObserver = {
    id: 'bad',
    onStart: () => {
      throw new Error('x')
    },
    onEnd: () => {
      throw new Error('x')
    },
  }
  const catalog = serve([readTool('one')], { log, observers: [bad, observer] })
  assert.equal(textOf(await call(catalog, 'one')), 'one')
  assert.equal(ends.length, 1)
  assert.equal(log.lines.length, 2)
})

test('a refused caller is observed as well, and an endless name is cut', { timeout: 5000 }, async () => {
  const { observer, ends } = recorder('audit')
  const catalog = serve([readTool('one')], { observers: [observer] })
  assert.equal(
    codeOf(await call(catalog, 'one', {}, { caller: { id: 'x', kind: 'oauth', scopes: new Set() } })),
    'FORBIDDEN',
  )
  await call(catalog, 'n'.repeat(10_000))
  assert.deepEqual([ends[0]?.code, ends[1]?.tool.length], ['FORBIDDEN', 128])
})

const resource = (uri: string, read: Resource['read']): Resource => ({
  uri,
  name: uri,
  description: uri,
  mimeType: 'text/plain',
  read,
})

/** A server whose resources and prompts end in every way there is. */
function library(observers: readonly PipelineObserver[]) {
  return compileCatalog(
    [
      defineServer({
        id: 'shop',
        summary: 'Shop',
        tools: [],
        resources: [
          resource('shop://ok', () => ({ text: 'één' })),
          resource('shop://broken', async () => {
            throw new Error('x')
          }),
          resource('shop://stuck', () => Promise.race([])),
        ],
        templates: [
          {
            uriTemplate: 'shop://item/{id}',
            name: 'item',
            description: 'Item',
            mimeType: 'text/plain',
            read: ({ id }) => {
              if (id === 'secret') throw fault('NOT_FOUND', 'gone')
              return { text: 'item' }
            },
          },
        ],
        prompts: [
          {
            name: 'greet',
            description: 'Greets.',
            arguments: [{ name: 'who', required: true }],
            render: () => [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
          },
        ],
      }),
    ],
    { observers, log: memoryLog() },
  )
}

test(
  'reading a resource and rendering a prompt are observed like a call, without what was asked',
  { timeout: 5000 },
  async () => {
    const { observer, starts, steps, ends } = recorder('audit')
    const catalog = library([observer])
    const read = (uri: string, more: object = {}) =>
      readResource(catalog, { caller: owner, server: 'shop', uri, ...more })
    const prompt = (name: string, args: Record<string, string>) =>
      renderPrompt(catalog, { caller: owner, server: 'shop', name, args })
    for (const uri of ['shop://ok', 'shop://item/1', 'shop://item/secret', 'shop://broken', 'shop://nothing'])
      await read(uri)
    await read('shop://stuck', { signal: AbortSignal.abort() })
    await read('shop://ok', { caller: { id: 'x', kind: 'oauth', scopes: new Set() } })
    await prompt('greet', { who: 'Ana' })
    await prompt('greet', {})
    await prompt('nothing', {})
    assert.deepEqual(
      ends.map(({ kind, tool, outcome, code, bytes }) => [kind, tool, outcome, code, bytes]),
      [
        ['resource', 'shop://ok', 'ok', undefined, 5],
        ['resource', 'shop://item/{id}', 'ok', undefined, 4],
        ['resource', 'shop://item/{id}', 'fault', 'NOT_FOUND', 0],
        ['resource', 'shop://broken', 'fault', 'INTERNAL_ERROR', 0],
        ['resource', 'shop://nothing', 'unknown-resource', 'NOT_FOUND', 0],
        ['resource', 'shop://stuck', 'fault', 'CANCELLED', 0],
        ['resource', 'shop://ok', 'fault', 'FORBIDDEN', 0],
        ['prompt', 'greet', 'ok', undefined, 55],
        ['prompt', 'greet', 'fault', 'MISSING_REQUIRED_FIELD', 0],
        ['prompt', 'nothing', 'unknown-prompt', 'NOT_FOUND', 0],
      ],
    )
    assert.equal(starts.length, ends.length)
    assert.deepEqual(steps, [])
    assert.match(ends[3]?.incident ?? '', /^[0-9a-f-]{36}$/)
  },
)

test(
  'a resource that is read on after its answer is told to those who listen for that',
  { timeout: 5000 },
  async () => {
    const open = gate()
    const late = gate<boolean>()
    const item = resource('shop://slow', () => open.promise.then(() => ({ text: 'late' })))
    const observer: PipelineObserver = { id: 'late', onLate: (event) => late.resolve(event.ok) }
    const catalog = serve([], { observers: [observer] }, { resources: [item] })
    const abort = new AbortController()
    const read = readResource(catalog, { caller: owner, server: 'shop', uri: item.uri, signal: abort.signal })
    abort.abort()
    assert.equal((await read).kind, 'fault')
    open.resolve()
    assert.equal(await late.promise, true)
  },
)
