// Failures as problem details: one clear sentence, the right status, nothing of the inside.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFailure } from '../../../plugins/armour/failure.ts'
import { behind } from '../../../plugins/doors/behind.ts'
import { anyone } from '../../../plugins/doors/anyone.ts'
import { DomainError, GatewayError, type ErrorKind } from '../../../src/errors.ts'
import { armouredApp, inOrder } from '../armoured-app.ts'

const timeout = 20_000
const json = { 'content-type': 'application/json' }

/** What is told about an error that better-sqlite3 throws. */
const of = (code: string) =>
  describeFailure(Object.assign(new Error('UNIQUE constraint failed: memories.uid'), { code }))

test(
  'an unexpected error is opaque outside and whole in the log, under one request id, without secrets',
  { timeout },
  async (t) => {
    const { app, lines } = await armouredApp(t)
    const answer = await app.inject('/broken')
    const problem = answer.json()
    assert.equal(answer.statusCode, 500)
    assert.match(String(answer.headers['content-type']), /^application\/problem\+json\b/)
    assert.deepEqual(Object.keys(problem).toSorted(), ['code', 'detail', 'requestId', 'status', 'title', 'type'])
    assert.doesNotMatch(answer.body, /sentence|stack|crow_local_/)
    const logged = lines.filter((line) => line.includes('a sentence with'))
    assert.equal(logged.length, 1)
    assert.partialDeepStrictEqual(JSON.parse(logged[0] ?? ''), {
      level: 'error',
      requestId: problem.requestId,
      route: '/broken',
    })
    assert.doesNotMatch(lines.join(), /0123456789abcdef/)
  },
)

test('every kind of failure has its status, and a retry time becomes Retry-After', { timeout }, async (t) => {
  const kinds: readonly [ErrorKind, number][] = [
    ['invalid', 400],
    ['unauthenticated', 401],
    ['forbidden', 403],
    ['missing', 404],
    ['conflict', 409],
    ['limited', 429],
    ['unavailable', 503],
    ['internal', 500],
  ]
  const { app } = await armouredApp(t, {}, async (instance, config) => {
    await inOrder(instance, config)
    const room = behind(anyone, async (scope) => {
      for (const [kind] of kinds) {
        scope.get(`/${kind}`, { config: { answers: 'text' } }, () => {
          throw new GatewayError(kind, 'SOME_CODE', 'What is wrong.', {
            hint: 'What to do.',
            retryAfterMs: 1500,
            cause: new Error('private'),
          })
        })
      }
    })
    await instance.register(room)
  })
  for (const [kind, status] of kinds) {
    const answer = await app.inject(`/${kind}`)
    assert.equal(answer.statusCode, status)
    assert.equal(answer.json().status, status)
    assert.equal(answer.json().code, 'SOME_CODE')
    assert.doesNotMatch(answer.body, /private/)
    assert.equal(answer.headers['retry-after'], kind === 'internal' ? undefined : '2')
    assert.equal(answer.json().hint, kind === 'internal' ? undefined : 'What to do.')
  }
})

test(
  'what SQLite refuses becomes a conflict, a violated rule or a busy database, never its own words',
  { timeout },
  () => {
    assert.deepEqual([of('SQLITE_CONSTRAINT_UNIQUE').status, of('SQLITE_CONSTRAINT_PRIMARYKEY').status], [409, 409])
    assert.deepEqual([of('SQLITE_CONSTRAINT_CHECK').status, of('SQLITE_CONSTRAINT_NOTNULL').status], [422, 422])
    assert.deepEqual([of('SQLITE_BUSY').status, of('SQLITE_BUSY_SNAPSHOT').retryAfterMs], [503, 1000])
    assert.equal(of('SQLITE_CORRUPT').status, 500)
    for (const code of ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_BUSY', 'SQLITE_CORRUPT'])
      assert.doesNotMatch(of(code).message, /memories/)
  },
)

test('whatever is thrown can be described', { timeout }, () => {
  for (const thrown of [undefined, null, 'text', 42, {}, Object.create(null), new Error('x')])
    assert.equal(describeFailure(thrown).status, 500)
  assert.equal(describeFailure(new DomainError('missing', 'X', 'Gone.')).status, 404)
  assert.equal(
    describeFailure(Object.assign(new Error('secret path'), { statusCode: 418 })).message,
    'The request could not be read.',
  )
})

test('bodies that cannot be read are refused in one sentence that does not quote them', { timeout }, async (t) => {
  const { app, token } = await armouredApp(t, { CROW_BODY_MAX_BYTES: '2048' })
  const post = (payload: string, headers: Record<string, string> = json) =>
    app.inject({ method: 'POST', url: '/mcp', headers: { authorization: `Bearer ${token}`, ...headers }, payload })
  const cases = [
    [await post('{"sentinel'), 400, 'JSON_INVALID'],
    [await post('{"__proto__": {"sentinel": 1}}'), 400, 'JSON_INVALID'],
    [await post('{"constructor": {"prototype": {"sentinel": 1}}}'), 400, 'JSON_INVALID'],
    [await post(JSON.stringify('sentinel'.repeat(1000))), 413, 'BODY_TOO_LARGE'],
    [await post('sentinel', { 'content-type': 'text/plain' }), 415, 'MEDIA_TYPE_UNSUPPORTED'],
    [await post('a=sentinel', { 'content-type': 'application/x-www-form-urlencoded' }), 415, 'MEDIA_TYPE_UNSUPPORTED'],
    [await post('sentinel', { 'content-type': 'multipart/form-data; boundary=x' }), 415, 'MEDIA_TYPE_UNSUPPORTED'],
  ] as const
  for (const [answer, status, code] of cases) {
    assert.deepEqual([answer.statusCode, answer.json().code], [status, code])
    assert.doesNotMatch(answer.body, /sentinel/)
  }
})

test('an empty body with a JSON type is no body, and a charset changes nothing', { timeout }, async (t) => {
  const { app, token } = await armouredApp(t)
  const authorization = `Bearer ${token}`
  const gone = await app.inject({ method: 'DELETE', url: '/mcp', headers: { ...json, authorization } })
  assert.deepEqual([gone.statusCode, gone.json()], [200, { body: null }])
  const utf8 = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { authorization, 'content-type': 'application/json; charset=UTF-8' },
    payload: '{"a":"ñ"}',
  })
  assert.deepEqual(utf8.json(), { body: { a: 'ñ' } })
})

test('JSON nested ten thousand deep is read or refused, and the gateway lives on', { timeout }, async (t) => {
  const { app, token } = await armouredApp(t)
  const payload = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
  const answer = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { ...json, authorization: `Bearer ${token}` },
    payload,
  })
  assert.ok(answer.statusCode < 600)
  assert.equal((await app.inject('/open')).statusCode, 200)
})

test('fields that a schema refuses are named, one by one', { timeout }, async (t) => {
  const { app } = await armouredApp(t, {}, async (instance, config) => {
    await inOrder(instance, config)
    const schema = {
      body: {
        type: 'object',
        additionalProperties: false,
        required: ['size'],
        properties: { size: { type: 'integer' } },
      },
      response: { 200: { type: 'object', properties: {} } },
    }
    await instance.register(behind(anyone, async (scope) => void scope.post('/sized', { schema }, () => ({}))))
  })
  const post = (payload: object) => app.inject({ method: 'POST', url: '/sized', headers: json, payload })
  assert.equal((await post({ size: 1 })).statusCode, 200)
  const wrong = await post({ size: 'big' })
  assert.deepEqual(
    [wrong.statusCode, wrong.json().code, wrong.json().errors[0].path],
    [400, 'VALIDATION_FAILED', '/size'],
  )
  assert.equal((await post({ size: 1, more: 2 })).statusCode, 400)
})

test('fields that no response schema declares do not leave', { timeout }, async (t) => {
  const { app } = await armouredApp(t)
  assert.deepEqual((await app.inject('/open')).json(), { id: 'open' })
})
