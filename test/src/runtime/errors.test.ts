import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { DomainError } from '../../../src/errors.ts'
import { CompileError } from '../../../src/runtime/compile-error.ts'
import { toolCodes, codeFacts } from '../../../src/runtime/codes.ts'
import { fault } from '../../../src/runtime/fault.ts'
import { defineTool } from '../../../src/runtime/tool.ts'
import { call, codeOf, memoryLog, readTool, replyOf, serve, textOf } from './fixture.ts'

const strict = defineTool({
  name: 'find',
  summary: 'Finds.',
  description: 'Finds.',
  effect: 'read',
  input: Type.Object({ id: Type.Integer({ minimum: 1 }), note: Type.Optional(Type.String()) }),
  handle: (input) => `found ${input.id}`,
})

const recoveryOf = (text: string) => /<recovery>(.+)<\/recovery>/.exec(text)?.[1] ?? ''

test(
  'an extra key is refused and the nearest real one is suggested, with the right signature',
  { timeout: 5000 },
  async () => {
    const text = textOf(await call(serve([strict]), 'find', { id: 1, idd: 2 }))
    assert.match(text, /code="VALIDATION_ERROR"/)
    assert.match(text, /idd: is not a field; did you mean id\?/)
    assert.match(text, /<signature>crow_find\(id: integer 1\.\., note\?: string\)<\/signature>/)
  },
)

test('a wrong type and a missing field are named, and the value sent is not repeated', { timeout: 5000 }, async () => {
  const catalog = serve([strict])
  const wrong = await call(catalog, 'find', { id: 'hunter2' })
  assert.equal(codeOf(wrong), 'VALIDATION_ERROR')
  assert.match(textOf(wrong), /id: must be an integer of at least 1, got a string/)
  assert.doesNotMatch(textOf(wrong), /hunter2/)
  const missing = await call(catalog, 'find', {})
  assert.equal(codeOf(missing), 'MISSING_REQUIRED_FIELD')
  assert.match(textOf(missing), /id: is required/)
  for (const params of [[], 'text', 5]) assert.equal(codeOf(await call(catalog, 'find', params)), 'VALIDATION_ERROR')
})

test(
  'an unknown tool on a direct mount is an outcome of its own and suggests the nearest',
  { timeout: 5000 },
  async () => {
    const outcome = await call(serve([strict]), 'crow_fnd')
    assert.deepEqual(outcome, {
      kind: 'unknown-tool',
      name: 'crow_fnd',
      message: 'Unknown tool: crow_fnd. Did you mean crow_find?',
    })
  },
)

test('a tool without input refuses any argument', { timeout: 5000 }, async () => {
  const bare = defineTool({
    name: 'ping',
    summary: 'Pings.',
    description: 'Pings.',
    effect: 'read',
    handle: () => 'pong',
  })
  const catalog = serve([bare])
  assert.equal(textOf(await call(catalog, 'ping')), 'pong')
  const refused = await call(catalog, 'ping', { x: 1 })
  assert.equal(codeOf(refused), 'VALIDATION_ERROR')
  assert.match(textOf(refused), /x: is not a field; this takes no arguments/)
})

const made = () =>
  fault('NOT_FOUND', 'No <memory> 5', {
    recovery: 'Search & look',
    retryAfterMs: 1500,
    availableActions: ['a', 'b'],
    details: { id: 5 },
  })

test('a thrown fault reads exactly like a returned one', { timeout: 5000 }, async () => {
  const throws = readTool('one', {
    handle: () => {
      throw made()
    },
  })
  const returns = readTool('one', { handle: () => made() })
  const rejects = readTool('one', {
    handle: async () => {
      throw made()
    },
  })
  const replies = await Promise.all(
    [throws, returns, rejects].map(async (tool) => replyOf(await call(serve([tool]), 'one'))),
  )
  assert.deepEqual(replies[0], replies[1])
  assert.deepEqual(replies[0], replies[2])
  assert.deepEqual(replies[0], {
    content: [
      {
        type: 'text',
        text: [
          '<tool_error code="NOT_FOUND" retry_after="2">',
          '<message>No &lt;memory&gt; 5</message>',
          '<recovery>Search &amp; look</recovery>',
          '<available_actions>a, b</available_actions>',
          '<details>{"id":5}</details>',
          '</tool_error>',
        ].join('\n'),
      },
    ],
    isError: true,
  })
})

test(
  'an unknown throw is an incident: no detail leaves, the log has it, and no identical retry is advised',
  { timeout: 5000 },
  async () => {
    const log = memoryLog()
    for (const handle of [
      () => {
        throw new Error('db pw=x')
      },
      async () => {
        throw new Error('db pw=x')
      },
    ]) {
      const outcome = await call(serve([readTool('one', { handle })], { log }), 'one')
      assert.equal(codeOf(outcome), 'INTERNAL_ERROR')
      assert.doesNotMatch(textOf(outcome), /pw=x|\bat \S+:\d|\.ts\b/)
      assert.match(recoveryOf(textOf(outcome)), /Do not repeat the same call/)
      const incident = /incident ([0-9a-f-]{36})/.exec(textOf(outcome))?.[1]
      const line = log.lines.at(-1)
      assert.equal(Reflect.get(line?.detail ?? {}, 'incident'), incident)
      assert.match(String(Reflect.get(line?.detail ?? {}, 'err')), /pw=x/)
    }
  },
)

test('errors of the domain keep their words and map by kind', { timeout: 5000 }, async () => {
  const cases = [
    ['missing', 'NOT_FOUND'],
    ['conflict', 'CONFLICT'],
    ['limited', 'RATE_LIMITED'],
    ['unavailable', 'UNAVAILABLE'],
    ['invalid', 'VALIDATION_ERROR'],
    ['forbidden', 'FORBIDDEN'],
    ['unauthenticated', 'UNAUTHORIZED'],
  ] as const
  for (const [kind, code] of cases) {
    const handle = () => {
      throw new DomainError(kind, 'OWN_CODE', 'what happened', {
        hint: 'what to do',
        retryAfterMs: 3000,
        cause: new Error('secret'),
      })
    }
    const text = textOf(await call(serve([readTool('one', { handle })]), 'one'))
    assert.match(text, new RegExp(`code="${code}"`))
    assert.match(text, /retry_after="3"/)
    assert.match(text, /<message>what happened<\/message>\n<recovery>what to do<\/recovery>/)
    assert.doesNotMatch(text, /secret/)
  }
  const internal = readTool('one', {
    handle: () => {
      throw new DomainError('internal', 'X', 'inner words')
    },
  })
  assert.doesNotMatch(textOf(await call(serve([internal]), 'one')), /inner words/)
})

test('every code has a kind and a recovery', { timeout: 5000 }, () => {
  assert.ok(toolCodes.length > 15)
  for (const code of toolCodes) assert.ok(codeFacts(code).recovery.length > 10, code)
})

test(
  'without a context factory ctx.db names the missing option, and the next call is unaffected',
  { timeout: 5000 },
  async () => {
    const catalog = serve([readTool('uses_db', { handle: (_input, ctx) => ctx.db.path }), readTool('plain')])
    const outcome = await call(catalog, 'uses_db')
    assert.equal(codeOf(outcome), 'INTERNAL_ERROR')
    assert.match(textOf(outcome), /option `context`/)
    assert.equal(textOf(await call(catalog, 'plain')), 'plain')
    assert.equal(codeOf(await call(catalog, 'uses_db')), 'INTERNAL_ERROR')
  },
)

test('a context factory that fails is an incident, not a crash', { timeout: 5000 }, async () => {
  for (const context of [
    () => {
      throw new Error('no database')
    },
    async () => {
      throw new Error('no database')
    },
  ]) {
    const outcome = await call(serve([readTool('one')], { context }), 'one')
    assert.equal(codeOf(outcome), 'INTERNAL_ERROR')
    assert.doesNotMatch(textOf(outcome), /no database/)
  }
})

test(
  'prototype keys, NUL characters and lone surrogates are refused in words that name the field',
  { timeout: 5000 },
  async () => {
    const catalog = serve([strict])
    for (const key of ['__proto__', 'constructor', 'prototype', 'toString']) {
      const params: unknown = JSON.parse(`{"id":1,"${key}":{"polluted":true}}`)
      assert.equal(codeOf(await call(catalog, 'find', params)), 'VALIDATION_ERROR', key)
    }
    assert.equal(Reflect.get({}, 'polluted'), undefined)
    assert.match(textOf(await call(catalog, 'find', { id: 1, note: 'a\0b' })), /note: holds a NUL character/)
    assert.match(
      textOf(await call(catalog, 'find', { id: 1, note: 'a\ud800' })),
      /note: holds half of a surrogate pair/,
    )
    assert.equal(textOf(await call(catalog, 'find', { id: 1, note: '🚀' })), 'found 1')
    for (const id of [1.5, 2 ** 53, -1, Number.NaN])
      assert.equal(codeOf(await call(catalog, 'find', { id })), 'VALIDATION_ERROR', String(id))
  },
)

test(
  'exactly one of several fields: none and two are refused, the signature and description say so',
  { timeout: 5000 },
  async () => {
    const tool = defineTool({
      name: 'get',
      summary: 'Gets.',
      description: 'Gets.',
      effect: 'read',
      oneOf: ['id', 'slug'],
      input: Type.Object({ id: Type.Optional(Type.Integer()), slug: Type.Optional(Type.String({ minLength: 1 })) }),
      handle: (input) => JSON.stringify(input),
    })
    const catalog = serve([tool])
    assert.equal(codeOf(await call(catalog, 'get', {})), 'MISSING_REQUIRED_FIELD')
    assert.equal(codeOf(await call(catalog, 'get', { id: 1, slug: 'a' })), 'VALIDATION_ERROR')
    assert.equal(textOf(await call(catalog, 'get', { id: 1, slug: null })), '{"id":1}')
    assert.equal(textOf(await call(catalog, 'get', { id: 1, slug: '' })), '{"id":1}')
    assert.match(textOf(await call(catalog, 'get', {})), /with exactly one of id, slug<\/signature>/)
    assert.match(catalog.server('shop')?.tools[0]?.definition.description ?? '', /exactly one of: id, slug/)
  },
)

test(
  'a tool that does not say its effect, or another than there is, is refused at compile time',
  { timeout: 5000 },
  () => {
    for (const effect of ['null', '"reads"']) {
      const wrong = Object.freeze({ ...readTool('row', { handle: () => 'x' }), effect: JSON.parse(effect) })
      assert.throws(
        () => serve([wrong]),
        (error) => error instanceof CompileError && /say the effect/.test(error.message),
      )
    }
  },
)
