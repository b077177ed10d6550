// `servers.json` is followed while everything runs: what did not change is not touched.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asker, ERAS, namesOf } from '../../fixtures/external/app.ts'
import { composed, entriesOf, isAlive } from '../../fixtures/external/composed.ts'
import { until } from '../../fixtures/until.ts'

const timeout = 120_000
const CALLS_MIN = 100

test('servers come, go and change while another answers hundreds of calls', { timeout }, async (t) => {
  const steady = { steady: {} }
  const gateway = await composed(t, { ...steady, other: { name: 'one' } })
  await gateway.listed('steady_echo', 'other_echo')
  const [child] = gateway.starts('steady')
  const wrong: string[] = []
  let calls = 0
  const over = new AbortController()
  t.after(() => over.abort())
  const load = ERAS.map(async (era) => {
    const ask = await asker(gateway.to, era)
    while (!over.signal.aborted || calls < CALLS_MIN) {
      const message = `m${++calls}`
      const answer = await ask('tools/call', { name: 'steady_echo', arguments: { message } })
      if (!answer.text.includes(`"Echo: ${message}"`)) wrong.push(answer.text)
    }
  })
  const list = await asker(gateway.to, '2026')
  const shows = async (name: string): Promise<boolean> => namesOf(await list('tools/list')).includes(name)
  const rewrite = (servers: Record<string, object>): void =>
    gateway.rewrite(entriesOf(gateway.folder, { ...steady, ...servers }))
  const [before = 0] = gateway.starts('other')

  rewrite({ other: { name: 'two' }, added: { era: '2026' } })
  await gateway.listed('added_echo')
  await until(() => gateway.starts('other').length === 2 && !isAlive(before), 'the changed one is another child')
  rewrite({ other: { name: 'two' } })
  await until(() => gateway.starts('added').every((pid) => !isAlive(pid)), 'the removed one has ended')
  assert.equal(await shows('added_echo'), false)
  gateway.rewrite({
    broken: { neither: true },
    ...entriesOf(gateway.folder, { ...steady, crash: { exit: { code: 1 } } }),
  })
  await until(() => gateway.starts('crash').length > 0)
  const off = entriesOf(gateway.folder, steady)
  gateway.rewrite({ ...off, off: { command: 'no-such-binary', disabled: true } })
  await until(() => gateway.running.app.gateway.externals.source.areas?.().some(({ id }) => id === 'off') === true)
  over.abort()
  await Promise.all(load)
  assert.deepEqual(wrong, [])
  assert.ok(calls >= CALLS_MIN)
  assert.deepEqual(gateway.starts('steady'), [child])
})
