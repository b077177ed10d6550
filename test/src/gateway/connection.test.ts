// The one connection of a process to the gateway of its data folder.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processLog } from '../../../src/gateway.ts'
import { sharedSource, Through } from '../../../src/gateway/through.ts'
import { announcePresence } from '../../../src/upstream/presence.ts'
import { externalApp } from '../../fixtures/external/app.ts'
import { NOTE } from '../../fixtures/external/content.ts'
import { externalSource } from '../../fixtures/external/source.ts'
import { until } from '../../fixtures/until.ts'
import { temporaryDatabase } from '../db/temporary.ts'
import { Custody } from '../../../src/gateway/custody.ts'
import { startApp } from '../../fixtures/running-app.ts'
import { scratchFolder } from '../cli/crow.ts'

const timeout = 30_000
const quiet = processLog({ logLevel: 'silent' })

test('callers that come together share a connection; after it ended there is a new one', { timeout }, async (t) => {
  const app = await startApp()
  t.after(() => app.close())
  const through = new Through(scratchFolder(t), quiet, () => undefined)
  t.after(() => through.close())
  const gateway = { pid: process.pid, started: '', address: app.origin, key: app.token }
  const [first, second] = await Promise.all([through.link(gateway), through.link(gateway)])
  assert.equal(first, second)
  await first.close()
  const next = await through.link(gateway)
  assert.notEqual(next, first)
  await through.close()
  assert.equal((await next.closed).wanted, true)
})

test('what a client watches is watched at the gateway, and nothing is started for it here', { timeout }, async (t) => {
  const { running, source: there } = await externalApp(t)
  const dataDir = scratchFolder(t)
  const takeBack = announcePresence(dataDir, { address: running.origin, key: running.token })
  t.after(() => takeBack())
  const told: string[] = []
  const through = new Through(dataDir, quiet, (uri) => void told.push(uri))
  t.after(() => through.close())
  const here = externalSource()
  const custody = new Custody({
    database: await temporaryDatabase(t),
    clock: { now: () => 10_000 },
    log: quiet,
    holder: 'a',
    prepare: async () => undefined,
    isElsewhere: () => true,
    handOver: () => undefined,
  })
  const shared = sharedSource(here, { through, custody })
  const uri = String(NOTE['uri'])
  const end = shared.content?.watch(uri)
  await until(() => there.content.watched.has(uri))
  there.content.touch(uri)
  await until(() => told.length > 0)
  assert.deepEqual(told, [uri])
  end?.()
  await until(() => !there.content.watched.has(uri))
  assert.equal(here.content.watched.size, 0)
})
