// Big messages, chatty servers, and servers that do not read: nothing waits for ever and nothing grows without a bound.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LinkFailure } from '../../../../src/lib/link.ts'
import { openStdio } from '../../../../src/upstream/stdio/open.ts'
import { callText, opened, PATIENCE } from '../../../fixtures/upstream/opened.ts'

const timeout = 60_000

test('big calls to a server that writes much to its standard error first are all answered', { timeout }, async (t) => {
  const chatty = await opened(t, { stderrBytes: 1 << 18 })
  const other = await opened(t)
  const began = performance.now()
  const payload = 'é'.repeat(1 << 17)
  const calls = Array.from({ length: 10 }, () => callText(chatty.link, 'chatty', { payload }))
  let slowest = 0
  for (let turn = 0; turn < 20; turn++) {
    const asked = performance.now()
    await callText(other.link, 'echo')
    slowest = Math.max(slowest, performance.now() - asked)
  }
  for (const text of await Promise.all(calls)) assert.equal(text.length, 1 << 20)
  assert.ok(performance.now() - began < 10_000)
  assert.ok(slowest < 1_000, `a neighbour waited ${slowest} ms`)
  const { reason, stderr = [] } = await chatty.link.close().then(() => chatty.link.closed)
  assert.equal(reason, 'It was stopped.')
  assert.ok(stderr.length > 0 && stderr.join('\n').length <= 16 * 1024)
})

test('characters that a pipe cuts in two arrive whole', { timeout }, async (t) => {
  const { link } = await opened(t, {}, { era: '2026' })
  const message = '🐦‍⬛ñ漢'.repeat(40_000)
  assert.equal(await callText(link, 'echo', { message }), `Echo: ${message}`)
})

test('a message beyond the bound ends the connection with a reason', { timeout }, async (t) => {
  const { link } = await opened(t, {}, { era: '2025' })
  await assert.rejects(
    link.request('tools/call', { name: 'big', arguments: { bytes: 33 << 20 } }, PATIENCE),
    (error) => error instanceof LinkFailure && /more than 32 MiB/.test(error.end.reason),
  )
  await link.close()
  const fits = await opened(t, {}, { era: '2025' })
  assert.equal((await callText(fits.link, 'big', { bytes: 31 << 20 })).length, 31 << 20)
})

test('a message that never ends is not waited for', { timeout }, async () => {
  const opening = openStdio({ base: { PATH: process.env['PATH'] ?? '' } })(
    { kind: 'stdio', command: 'sh', args: ['-c', 'head -c 34000000 /dev/zero; sleep 100'], env: {} },
    {
      handlers: { onNotification: () => undefined, onRequest: () => Promise.reject(new Error('nothing is asked')) },
      capabilities: {},
      startTimeoutMs: 20_000,
      note: () => undefined,
    },
  )
  await assert.rejects(opening, (error) => error instanceof LinkFailure && /more than 32 MiB/.test(error.end.reason))
})

test('a server that reads no more is sent no more than a bound', { timeout }, async (t) => {
  const { link } = await opened(t, {}, { era: '2025' })
  const stopped = Number(await callText(link, 'pid'))
  process.kill(stopped, 'SIGSTOP')
  const payload = 'x'.repeat(8 << 20)
  const call = (): Promise<unknown> => link.request('tools/call', { name: 'echo', arguments: { payload } }, PATIENCE)
  const calls = Array.from({ length: 10 }, () =>
    call().then(
      () => 'answered',
      (error: unknown) => String(error),
    ),
  )
  const refused = await Promise.race([calls[9], calls[8]])
  assert.match(String(refused), /stopped reading/)
  process.kill(stopped, 'SIGCONT')
  const outcomes = await Promise.all(calls)
  assert.ok(outcomes.filter((outcome) => outcome === 'answered').length >= 7)
  assert.equal(await callText(link, 'echo', { message: 'again' }), 'Echo: again')
})
