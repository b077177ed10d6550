// Imports go down, or sideways inside one folder. The order of the layers is the order of this table.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lineAt, sources, type Import, type SourceFile } from './source.ts'
import { environmentReads, memberWrites } from './syntax.ts'

const timeout = 30_000

/** Top first. A file may import its own folder and any layer below its own; layers in one row do not see each other. */
const LAYERS: readonly (readonly string[])[] = [
  ['src/main.ts', 'src/cli'],
  ['src/app.ts'],
  ['plugins'],
  ['src/gateway.ts', 'src/gateway'],
  ['src/chat', 'src/peers', 'src/upstream', 'src/oauth', 'src/operator', 'src/mcp', 'src/servers'],
  ['src/secrets', 'src/pages'],
  ['src/ai', 'src/compression', 'src/search', 'src/clients', 'src/runtime'],
  ['src/db', 'src/errors.ts', 'src/config.ts', 'src/config', 'src/lib'],
]

/** Leaves of the bottom row that the rest of it may use. */
const LEAVES = ['src/errors.ts', 'src/lib']

/** The files that may look at everything below them, and at the list of servers. */
const isLayer = (path: string, layer: string): boolean => path === layer || path.startsWith(`${layer}/`)
const rowOf = (path: string): number => LAYERS.findIndex((row) => row.some((layer) => isLayer(path, layer)))
/** `src/config.ts` and the folder of its parts are one layer, as any folder is. */
const layerOf = (path: string): string | undefined =>
  LAYERS.flat()
    .find((layer) => isLayer(path, layer))
    ?.replace(/\.ts$/, '')

const NARRATIVES = new Set(['src/app.ts', 'src/main.ts'])
const PLUGIN_ROOMS =
  /^plugins\/(mcp|health|router|oauth|login|clients|site|status|chat|blog|storage|federation|setup)\//

const room = (path: string): string | undefined => /^src\/servers\/([^/]+)\//.exec(path)?.[1]
const pluginRoom = (path: string): string | undefined => PLUGIN_ROOMS.exec(path)?.[1]

const files = sources('src', 'plugins')

function offending(matches: (file: SourceFile, imported: Import) => boolean): string[] {
  return files.flatMap((file) =>
    file.imports.filter((imported) => matches(file, imported)).map((imported) => `${file.path} → ${imported.from}`),
  )
}

test('every source file belongs to a layer', { timeout }, () => {
  assert.deepEqual(
    files.map((file) => file.path).filter((path) => rowOf(path) === -1),
    [],
  )
})

test('imports go down, or sideways inside one folder', { timeout }, () => {
  const wrong = offending((file, { file: target }) => {
    if (target === undefined || target.endsWith('.json') || layerOf(target) === layerOf(file.path)) return false
    if (rowOf(file.path) === 0 && rowOf(target) === 0) return false
    if (LEAVES.some((leaf) => isLayer(target, leaf))) return false
    return rowOf(target) <= rowOf(file.path)
  })
  assert.deepEqual(wrong, [])
})

test('only the narrative, the process and the commands import plugins or Fastify into src', { timeout }, () => {
  const wrong = offending(
    (file, imported) =>
      file.path.startsWith('src/') &&
      !NARRATIVES.has(file.path) &&
      !imported.typeOnly &&
      (imported.file?.startsWith('plugins/') === true || /^(@fastify\/|fastify)/.test(imported.from)),
  )
  assert.deepEqual(wrong, [])
})

test('a room never imports a room', { timeout }, () => {
  const wrong = offending((file, { file: target }) => {
    if (target === undefined) return false
    const [from, to] = [room(file.path), room(target)]
    if (from !== undefined && to !== undefined && from !== to) return true
    const [fromPlugin, toPlugin] = [pluginRoom(file.path), pluginRoom(target)]
    return fromPlugin !== undefined && toPlugin !== undefined && fromPlugin !== toPlugin
  })
  assert.deepEqual(wrong, [])
})

test('only src/mcp imports the MCP SDK', { timeout }, () => {
  assert.deepEqual(
    offending((file, { from }) => from.startsWith('@modelcontextprotocol/') && !file.path.startsWith('src/mcp/')),
    [],
  )
})

test('plugins never touch tables or SQL', { timeout }, () => {
  const wrong = offending(
    (file, imported) =>
      file.path.startsWith('plugins/') &&
      (imported.from.startsWith('drizzle-orm') ||
        imported.from === 'better-sqlite3' ||
        imported.file?.startsWith('src/db/schema/') === true),
  )
  assert.deepEqual(wrong, [])
})

test('only config reads the environment', { timeout }, () => {
  const wrong = files
    .filter((file) => !/^src\/config(\.ts|\/)/.test(file.path))
    .flatMap((file) => environmentReads(file.program, file.text).map((start) => placeOf(file, start)))
  assert.deepEqual(wrong, [])
})

test('only the doors add hooks that identify', { timeout }, () => {
  const wrong = files
    .filter((file) => !file.path.startsWith('plugins/doors/'))
    .flatMap((file) => memberWrites(file.program, 'caller').map((start) => placeOf(file, start)))
  assert.deepEqual(wrong, [])
})

const placeOf = (file: SourceFile, start: number): string => `${file.path}:${lineAt(file.text, start)}`
