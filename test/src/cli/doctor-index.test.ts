// What `doctor` says of a search index whose counts are not those of the rows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDatabase } from '../../../src/cli/doctor/database.ts'
import { loadConfig } from '../../../src/config.ts'
import { temporaryFolder } from '../db/temporary.ts'
import { memoryRoom } from '../servers/memory/room.ts'

const timeout = 30_000

test('counts that another program changed are found, with the way to mend them', { timeout }, async (t) => {
  const dataDir = temporaryFolder(t)
  const room = await memoryRoom(t, { dataDir })
  const id = await room.store({ content: 'The zanzibar trip was in May.' })
  await room.call('update_memory', { id, importance: 7 })
  const config = loadConfig({ CROW_DATA_DIR: dataDir })
  const look = () =>
    checkDatabase({ ...config, databasePath: room.db.path }).findings.find((finding) => finding.name === 'search index')
  assert.equal(look()?.status, 'ok')
  await room.db.write(({ sqlite }) => sqlite.exec('UPDATE memory_df SET df = df + 1'))
  assert.equal(look()?.status, 'fail')
  assert.match(JSON.stringify(look()), /words are counted wrongly.*Start the gateway again/)
  await room.searcher.refresh()
  assert.equal(look()?.status, 'ok')
})
