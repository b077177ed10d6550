import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Through } from '../../../src/gateway/through.ts'
import { LinkFailure } from '../../../src/lib/link.ts'
import { startApp } from '../../fixtures/running-app.ts'
import { until } from '../../fixtures/until.ts'

const timeout = 30_000
const nothing = (): void => undefined
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

test('whoever asks at once gets one connection, and another when that has ended', { timeout }, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  const through = new Through(running.app.config.dataDir, log, nothing)
  t.after(() => through.close())
  const { gateway } = through
  assert.ok(gateway !== undefined)
  const [first, second] = await Promise.all([through.link(gateway), through.link(gateway)])
  assert.equal(first, second)
  await first.close()
  await until(() => through.connections === 1)
  const again = await through.link(gateway)
  assert.notEqual(again, first)
  assert.equal(await through.link(gateway), again, 'the end of the first one says nothing of the next')
  const elsewhere = { ...gateway, key: 'another', address: 'http://127.0.0.1:1' }
  await assert.rejects(through.link(elsewhere), LinkFailure)
  assert.equal((await through.link(gateway)).peer.name, 'crow-tools')
})
