// Only a command of the owner changes which programs run: nothing that answers an AI client or a browser can reach what writes
// the list, and a running list follows the command, a secret that was only exchanged included.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '../../../src/db/client.ts'
import { createSecretStore } from '../../../src/secrets/store.ts'
import { openVault } from '../../../src/secrets/vault.ts'
import { openRegistry } from '../../../src/upstream/registry.ts'
import { until } from '../../fixtures/until.ts'
import { sources } from '../../tidy/source.ts'
import { crow, scratchFolder } from '../cli/crow.ts'
import { ownerOf } from './owner.ts'

const timeout = 120_000
const files = sources('src', 'plugins')

const importersOf = (path: string): string[] =>
  files.filter(({ imports }) => imports.some(({ file }) => file === path)).map((file) => file.path)

test('what writes servers.json is reached from the commands and from nowhere else', { timeout }, () => {
  assert.deepEqual(importersOf('src/clients/json-edit.ts'), ['src/cli/servers/place.ts'])
  for (const path of importersOf('src/cli/servers/place.ts')) assert.match(path, /^src\/cli\//)
  for (const path of ['src/cli/commands/servers.ts', 'src/cli/commands/servers-change.ts'])
    for (const importer of importersOf(path)) assert.match(importer, /^src\/cli\/(list|commands\/servers-change)\.ts$/)
  const writing = /\b(writeFile|appendFile|createWriteStream|rename|copyFile|rm|unlink)(Sync)?\b/
  const registry =
    /^src\/upstream\/(configured|entry|entry-fields|integration|integration-entry|integrations|reach|registry|servers-file|source-id|variables)\.ts$/
  const parts = files.filter(({ path }) => registry.test(path))
  assert.ok(parts.length >= 10)
  assert.deepEqual(
    parts.filter(({ text }) => writing.test(text)).map(({ path }) => path),
    [],
  )
})

test('a running list follows the commands, and a secret that was exchanged', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const data = join(home, 'data')
  const run = async (args: readonly string[], input = ''): Promise<void> => {
    const { status, err } = await crow({ home, env: { CROW_DATA_DIR: data } }, ['servers', ...args], input)
    assert.equal(status, 0, err)
  }
  await run(['add', 'still', '--yes', '--', 'run'])
  const database = await openDatabase({ dataDir: data })
  t.after(() => database.close())
  const secrets = createSecretStore(database, openVault({ dataDir: data }), { now: () => 0 })
  const log = { info: () => undefined, warn: () => undefined }
  const registry = openRegistry({ ...ownerOf(data), file: join(data, 'servers.json'), secrets, log, everyMs: 20 })
  t.after(() => registry.close())
  const markOf = (id: string): string | undefined =>
    registry.current().specs.find((spec) => spec.id === id)?.fingerprint
  const still = markOf('still')
  assert.ok(still)
  await run(['add', 'kept', '--yes', '--secret', 'TOKEN', '--', 'run'], 'one\n')
  await until(() => markOf('kept') !== undefined)
  const before = markOf('kept')
  await run(['add', 'kept', '--yes', '--replace', '--secret', 'TOKEN', '--', 'run'], 'two\n')
  await until(() => markOf('kept') !== before)
  const [spec] = registry.current().specs.filter(({ id }) => id === 'kept')
  assert.ok(spec?.target.kind === 'stdio')
  assert.deepEqual(spec.target.env, { TOKEN: 'two' })
  await run(['add', 'kept', '--yes', '--replace', '--', 'run'])
  await until(() => secrets.read('upstream/kept/TOKEN') === undefined)
  await run(['remove', 'kept'])
  await until(() => markOf('kept') === undefined)
  assert.equal(markOf('still'), still)
})
