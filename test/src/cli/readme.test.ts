// What a newcomer reads first: short, and no word of ours before it is explained.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './crow.ts'

const timeout = 10_000
const LINES_MAX = 150

const page = (name: string): string => readFileSync(join(ROOT, name), 'utf8')

test('the README is short', { timeout }, () => {
  assert.ok(page('README.md').trimEnd().split('\n').length <= LINES_MAX)
})

test('crow.md, dream and the eras are explained where they first stand', { timeout }, () => {
  const explained: readonly (readonly [page: string, word: RegExp, explanation: RegExp])[] = [
    ['README.md', /crow\.md/, /^crow\.md,\s+the\s+text\s+about/],
    ['README.md', /`dream`/, /^`dream`,\s+which\s+finds/],
    ['README.md', /\beras\b/, /^eras,\s+the\s+forms\s+of\s+2025/],
    ['docs/ARCHITECTURE.md', /\beras\b/, /^eras \(the forms of 2025/],
    ['docs/CONFIG.md', /\b[Ee]ra\b/, /^[Ee]ra is one of/],
    ['docs/CONFIG.md', /crow\.md/, /^crow\.md is the text/],
    ['docs/TOOLS.md', /crow\.md/, /^crow\.md is the text/],
    ['docs/TOOLS.md', /\bdream\b/, /^dream is to look for/],
    ['docs/STORAGE.md', /crow\.md/, /^crow\.md \(the text about/],
    ['docs/STORAGE.md', /`dream`/, /^`dream` \(the tool/],
  ]
  for (const [name, word, explanation] of explained) {
    const text = page(name)
    assert.match(text.slice(text.search(word)), explanation, `${name}: ${String(word)}`)
  }
})
