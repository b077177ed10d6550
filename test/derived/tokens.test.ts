// What the lists cost is measured on every run, and the page that says so is fresh.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FACTORS_FILE, factorsFile, measureFactors } from '../../bench/factors.ts'
import { measureTokens, readPage, REFERENCE_PER_TOOL, TOKENS_PAGE, tokensPage } from '../../bench/tokens.ts'
import { ROOT } from '../tidy/source.ts'

const timeout = 30_000
const ROUTER_PER_ACTION_MAX = 19
const DIRECT_PER_TOOL_MAX = 110
const SAVED_MIN = 0.87

test('the router shows every action in few tokens, and so do the direct lists', { timeout }, (t) => {
  const { actions, router, direct } = measureTokens()
  t.diagnostic(`${(router / actions).toFixed(2)} tokens an action, ${(direct / actions).toFixed(1)} a direct tool`)
  assert.ok(router / actions <= ROUTER_PER_ACTION_MAX, `${router / actions} tokens an action`)
  assert.ok(direct / actions <= DIRECT_PER_TOOL_MAX, `${direct / actions} tokens a direct tool`)
  assert.ok(1 - router / actions / REFERENCE_PER_TOOL >= SAVED_MIN)
})

test('the page of tokens is fresh', { timeout }, () => {
  const page = readPage()
  assert.ok(page, `${TOKENS_PAGE} is missing: npm run tokens`)
  assert.equal(page.text, tokensPage(measureTokens(), page.notes), `${TOKENS_PAGE} is stale: npm run tokens`)
})

test('the factors that the ledger estimates with are fresh', { timeout }, async () => {
  const file = readFileSync(join(ROOT, FACTORS_FILE), 'utf8')
  assert.equal(file, factorsFile(await measureFactors()), `${FACTORS_FILE} is stale: npm run tokens`)
})
