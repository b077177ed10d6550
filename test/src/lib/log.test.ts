// The log: one JSON object per line, and nothing in it that opens a door.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, maskSecrets } from '../../../src/lib/log.ts'

const timeout = 10_000
const SECRET = `crow_local_${'Az0-_'.repeat(8)}abc`

function capture(level: 'debug' | 'info' | 'silent' = 'info') {
  const lines: string[] = []
  const log = createLog({ level, write: (line) => lines.push(line), now: () => 0 })
  return { log, lines, parsed: (): Record<string, unknown>[] => lines.map((line) => JSON.parse(line)) }
}

test('a line is JSON with level, time, message and the fields given', { timeout }, () => {
  const { log, lines, parsed } = capture()
  log.info({ port: 3001 }, 'listening')
  log.warn('only words')
  log.child({ reqId: 'req-1' }).error({ a: 1 }, 'with child fields')
  assert.deepEqual(parsed(), [
    { level: 'info', time: '1970-01-01T00:00:00.000Z', msg: 'listening', port: 3001 },
    { level: 'warn', time: '1970-01-01T00:00:00.000Z', msg: 'only words' },
    { level: 'error', time: '1970-01-01T00:00:00.000Z', msg: 'with child fields', reqId: 'req-1', a: 1 },
  ])
  for (const line of lines) assert.match(line, /^\{[^\n]*\}\n$/)
})

test('what is below the level is not written', { timeout }, () => {
  const { log, lines } = capture('silent')
  log.fatal({}, 'x')
  assert.equal(lines.length, 0)
})

test('tokens are masked in messages, fields, errors and causes', { timeout }, () => {
  const { log, lines } = capture()
  const error = new Error(`bad ${SECRET}`, { cause: new Error(`Authorization: Bearer abc.def-${'x'.repeat(20)}`) })
  log.error(
    {
      err: error,
      headers: { authorization: 'Basic dXNlcjpwYXNz', cookie: 'sid=1' },
      token: 'plain',
      deep: [{ secret: 's3cret' }],
    },
    SECRET,
  )
  const text = lines.join('')
  for (const hidden of [SECRET, 'abc.def', 'dXNlcjpwYXNz', 'sid=1', '"plain"', 's3cret'])
    assert.ok(!text.includes(hidden), hidden)
  assert.ok(text.includes('[masked]'))
})

test('an error keeps its name, its code, its stack and its cause', { timeout }, () => {
  const { log, parsed } = capture()
  log.error(Object.assign(new TypeError('broken', { cause: new Error('why') }), { code: 'E1' }))
  const [line] = parsed()
  assert.partialDeepStrictEqual(line, {
    err: { type: 'TypeError', message: 'broken', code: 'E1', cause: { message: 'why' } },
  })
})

test('anything can be logged: cycles, bigints, buffers and very long texts', { timeout }, () => {
  const { log, lines, parsed } = capture()
  const cycle: Record<string, unknown> = { big: 1n, bytes: Buffer.alloc(3), call: () => 1 }
  cycle['self'] = cycle
  log.info(cycle, 'odd')
  log.info({ text: 'x'.repeat(100_000) }, 'long')
  assert.equal(parsed().length, 2)
  assert.ok((lines[1] ?? '').length < 20_000)
})

test('masking leaves ordinary words alone', { timeout }, () => {
  for (const text of ['crow_store_memory', 'a bearer of news', 'crow_local_short'])
    assert.equal(maskSecrets(text), text)
})
