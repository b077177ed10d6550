// What changes at a real server reaches every open stream of the composed gateway, and a killed one comes back with its list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asker, namesOf, ROUTER, TOOLS } from '../../fixtures/external/app.ts'
import { composed, entriesOf, isAlive, type Composed } from '../../fixtures/external/composed.ts'
import { at, modern, open, openSession, type Stream } from '../../fixtures/rpc.ts'
import { startSse } from '../../fixtures/sse.ts'
import { until } from '../../fixtures/until.ts'

const timeout = 120_000
/** The bench holds it to a tenth of a second, on a machine of its own. */
const HEARD_MS_MAX = 2_000

const told = (stream: Stream): number => stream.text().split('notifications/tools/list_changed').length - 1

async function listeners({ to }: Composed): Promise<Stream[]> {
  const held = [TOOLS, ROUTER].map(async (path) => {
    const { headers } = await openSession(to, { path })
    return await open(to, { path, method: 'GET', headers })
  })
  const listening = [TOOLS, ROUTER].map(async (path) => {
    const sent = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const stream = await open(to, { path, ...sent })
    await stream.until((message) => at(message, 'method') === 'notifications/subscriptions/acknowledged')
    return stream
  })
  return await Promise.all([...held, ...listening, startSse(to, '/tools/sse').then(({ stream }) => stream)])
}

for (const era of ['2025', '2026'] as const)
  test(
    `tools of a ${era} server come and go under open streams, by itself and by its settings`,
    { timeout },
    async (t) => {
      const gateway = await composed(t, { one: { era } })
      await gateway.listed('one_add_tool')
      const streams = await listeners(gateway)
      const direct = await asker(gateway.to, '2026')
      const router = await asker(gateway.to, '2026', { path: ROUTER })
      const agree = async (name: string, isThere: boolean): Promise<void> => {
        assert.equal(namesOf(await direct('tools/list')).includes(name), isThere)
        const args = { category: 'tools', query: name }
        const found = await router('tools/call', { name: 'crow_discover', arguments: args })
        assert.equal(found.text.includes(name), isThere, found.text)
      }
      const hears = async (what: string, change: () => unknown): Promise<void> => {
        const before = streams.map(told)
        const begun = performance.now()
        await change()
        await until(() => streams.every((stream, index) => told(stream) > (before[index] ?? 0)), what)
        assert.ok(performance.now() - begun < HEARD_MS_MAX, what)
      }
      await hears('a new tool', () => direct('tools/call', { name: 'one_add_tool', arguments: { name: 'late_one' } }))
      await agree('one_late_one', true)
      const [pid = 0] = gateway.starts('one').filter(isAlive)
      await hears('the list of a new child', () => process.kill(pid, 'SIGKILL'))
      await agree('one_late_one', false)
      await hears('a new server', async () => {
        gateway.rewrite(entriesOf(gateway.folder, { one: { era }, two: { onlyTools: ['late_two'] } }))
        await gateway.listed('two_late_two')
      })
      await agree('two_late_two', true)
    },
  )
