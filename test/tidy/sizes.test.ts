// Sizes, with a ratchet: what is over a typical size is listed and may only shrink.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Visitor } from 'oxc-parser'
import { lineAt, sources, type SourceFile } from './source.ts'

const timeout = 30_000
const FILE_LINES_MAX = 300
const FUNCTION_LINES_MAX = 70

/** Tables of data: long because the world is, not because the code is. */
const TABLES: readonly RegExp[] = [
  /\/stop-words\.ts$/,
  /\/error-codes\.ts$/,
  /^src\/clients\/table\.ts$/,
  /\/default-sections\.ts$/,
]

const files = sources('src', 'plugins').filter((file) => !TABLES.some((table) => table.test(file.path)))

function longFunctions(file: SourceFile): string[] {
  const found: string[] = []
  const measure = (node: { start: number; end: number }): void => {
    const lines = lineAt(file.text, node.end) - lineAt(file.text, node.start) + 1
    if (lines > FUNCTION_LINES_MAX) found.push(`${file.path}:${lineAt(file.text, node.start)} has ${lines} lines`)
  }
  new Visitor({
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }).visit(file.program)
  return found
}

test(`no file is over ${FILE_LINES_MAX} lines`, { timeout }, () => {
  assert.deepEqual(
    [...files, ...sources('test')]
      .filter((file) => file.lines > FILE_LINES_MAX)
      .map((file) => `${file.path} has ${file.lines}`),
    [],
  )
})

test(`no function is over ${FUNCTION_LINES_MAX} lines`, { timeout }, () => {
  assert.deepEqual(files.flatMap(longFunctions), [])
})
