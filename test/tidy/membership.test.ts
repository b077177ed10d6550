// A file that nobody lists does nothing, so it is an error: tools are found in their room's index, rooms in the list of servers.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT, sources } from './source.ts'

const timeout = 30_000
const servers = sources('src/servers')
const toolFile = /^src\/servers\/([^/]+)\/tools\/([^/]+)\.ts$/

test('every tool file is imported by the index of its room', { timeout }, () => {
  const wrong = servers
    .filter((file) => toolFile.test(file.path))
    .filter((file) => {
      const room = toolFile.exec(file.path)?.[1]
      const index = servers.find((other) => other.path === `src/servers/${room}/index.ts`)
      return index?.imports.some((imported) => imported.file === file.path) !== true
    })
    .map((file) => file.path)
  assert.deepEqual(wrong, [])
})

test('a tool file is named after its tool', { timeout }, () => {
  const wrong = servers
    .filter((file) => toolFile.test(file.path))
    .filter((file) => {
      const action = toolFile.exec(file.path)?.[2]?.replaceAll('-', '_')
      return !file.text.includes(`name: '${action}'`)
    })
    .map((file) => file.path)
  assert.deepEqual(wrong, [])
})

test('no document types a count that a build could compute', { timeout }, () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  assert.doesNotMatch(readme, /\b\d+ (tools|tests|servers|endpoints|tables)\b/i)
})
