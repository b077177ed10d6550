// Small habits that keep the code readable and honest, checked on the syntax tree.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Visitor, type CatchClause } from 'oxc-parser'
import { lineAt, sources, type SourceFile } from './source.ts'
import { testsWithoutLimit } from './syntax.ts'

const timeout = 30_000
const product = sources('src', 'plugins')
const everything = [...product, ...sources('test', 'bench')]
const VAGUE = /(^|[-/])(utils?|helpers?|common|manager|misc)(\.|\/|-|$)/

test('no catch is empty', { timeout }, () => {
  const wrong = everything.flatMap((file) => {
    const found: string[] = []
    new Visitor({
      CatchClause(node: CatchClause) {
        if (node.body.body.length === 0) found.push(`${file.path}:${lineAt(file.text, node.start)}`)
      },
    }).visit(file.program)
    return found.concat(
      [...file.text.matchAll(/\.catch\(\s*\(\s*\w*\s*\)\s*=>\s*(\{\s*\}|undefined|null)\s*\)/g)].map(
        (match) => `${file.path}:${lineAt(file.text, match.index)}`,
      ),
    )
  })
  assert.deepEqual(wrong, [])
})

test('files are kebab-case nouns without vague words', { timeout }, () => {
  assert.deepEqual(
    everything.map((file) => file.path).filter((path) => VAGUE.test(path) || !/^[a-z0-9./-]+$/.test(path)),
    [],
  )
})

test('a product file opens with a comment that says what it owns', { timeout }, () => {
  assert.deepEqual(
    product.filter((file) => !/^(#!.*\n)?(\/\/|\/\*\*)/.test(file.text)).map((file) => file.path),
    [],
  )
})

test('default exports are for plugins only, and nothing is re-exported wholesale', { timeout }, () => {
  const wrong = product.flatMap((file) => {
    const found: string[] = []
    new Visitor({
      ExportDefaultDeclaration() {
        if (!file.path.startsWith('plugins/')) found.push(`${file.path}: default export`)
      },
      ExportAllDeclaration() {
        found.push(`${file.path}: export *`)
      },
    }).visit(file.program)
    return found
  })
  assert.deepEqual(wrong, [])
})

test('no rule is switched off and no test is skipped', { timeout }, () => {
  const escape =
    /@ts-(ignore|expect-error|nocheck)|(?:ox|es)lint-disable|\btest\.(only|skip|todo)\(|\b(only|skip|todo): true/
  assert.deepEqual(
    everything
      .filter((file) => file.path !== 'test/tidy/habits.test.ts' && escape.test(file.text))
      .map((file) => file.path),
    [],
  )
})

test('every test names its time limit', { timeout }, () => {
  const wrong = everything
    .filter((file) => file.path.endsWith('.test.ts'))
    .flatMap((file) => testsWithoutLimit(file.program).map((start) => `${file.path}:${lineAt(file.text, start)}`))
  assert.deepEqual(wrong, [])
})

test('what the library offers is written nowhere else', { timeout }, () => {
  const offered = new Set(
    product.filter((file) => file.path.startsWith('src/lib/')).flatMap((file) => declaredNames(file, true)),
  )
  const wrong = product
    .filter((file) => !file.path.startsWith('src/lib/'))
    .flatMap((file) =>
      declaredNames(file)
        .filter((name) => offered.has(name))
        .map((name) => `${file.path}: ${name}`),
    )
  assert.deepEqual(wrong, [])
})

/** What a file declares at its top level; with `onlyExported`, for others. */
function declaredNames({ program }: SourceFile, onlyExported = false): string[] {
  return program.body.flatMap((node) => {
    if (onlyExported && node.type !== 'ExportNamedDeclaration') return []
    const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : node
    if (declared?.type === 'FunctionDeclaration') return declared.id === null ? [] : [declared.id.name]
    if (declared?.type !== 'VariableDeclaration') return []
    return declared.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
  })
}
