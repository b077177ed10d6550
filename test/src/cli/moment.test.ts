import assert from 'node:assert/strict'
import { test } from 'node:test'
import { momentOf } from '../../../src/cli/moment.ts'
import { UsageError } from '../../../src/cli/options.ts'

const timeout = 5000
const now = Date.UTC(2026, 0, 31, 12)

test('a moment is how long ago, or a date', { timeout }, () => {
  assert.equal(momentOf('since', '30m', now), now - 30 * 60_000)
  assert.equal(momentOf('since', '7d', now), now - 7 * 86_400_000)
  assert.equal(momentOf('since', '2026-01-31', now), Date.UTC(2026, 0, 31))
  assert.equal(momentOf('since', '2026-01-31T08:00+02:00', now), Date.UTC(2026, 0, 31, 6))
  for (const wrong of ['yesterday', '7', '-7d', '7y', '2026-13-45', '', '1.5h'])
    assert.throws(() => momentOf('since', wrong, now), UsageError, wrong)
})
