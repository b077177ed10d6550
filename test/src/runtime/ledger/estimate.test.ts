// Bytes as tokens: the factors that were measured, and a figure that does not look more exact than it is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LedgerLine } from '../../../../src/db/context-ledger.ts'
import { estimateTokens, shownEstimate } from '../../../../src/runtime/ledger/estimate.ts'
import { bytesPerToken, replyBytesPerToken } from '../../../../src/runtime/ledger/factors.ts'
import { totalOf } from '../../../../src/runtime/ledger/tally.ts'

const timeout = 5000

const line = (mount: string, sums: Partial<LedgerLine>): LedgerLine => ({
  day: 0,
  caller: 'local:1',
  client: 'laptop',
  mount,
  ...totalOf([]),
  ...sums,
})

test('each mount has its own factor, and what was sent as it is has saved nothing', { timeout }, () => {
  const routed = line('router', { listBytes: 1000, directBytes: 9000, discoverBytes: 400, errorBytes: 100 })
  const direct = line('memory', { listBytes: 5000, directBytes: 5000 })
  const { sent, saved } = estimateTokens([direct])
  assert.equal(sent, 5000 / bytesPerToken('memory'))
  assert.equal(saved, 0)
  const both = estimateTokens([routed, direct])
  assert.equal(both.sent, 1000 / bytesPerToken('router') + sent)
  assert.equal(both.discover, 400 / replyBytesPerToken('router'))
  assert.ok(Math.abs(both.saved - (both.direct - both.sent - both.discover - both.errors)) < 1e-9)
  assert.ok(estimateTokens([line('router', { errorBytes: 50 })]).saved < 0)
})

test('a list that nobody measured is taken for the densest, whatever its mount is called', { timeout }, () => {
  for (const mount of ['elsewhere', 'constructor', '__proto__', ''])
    assert.equal(bytesPerToken(mount), bytesPerToken('router'))
})

test('an estimate is shown in two or three digits', { timeout }, () => {
  const shown = [0, 0.4, 7, 46, 312, 987, 999.9, 2619, 9999, 12_345, 99_960, 999_600, 1_234_567, -2619, -0.2]
  assert.deepEqual(shown.map(shownEstimate), [
    '0',
    '0',
    '~7',
    '~46',
    '~310',
    '~990',
    '~1.0k',
    '~2.6k',
    '~10k',
    '~12k',
    '~100k',
    '~1.0M',
    '~1.2M',
    '~-2.6k',
    '0',
  ])
})
