// The hot path and the SDK give equal answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runDifferential } from './differential.ts'
import { TOOLS } from './differential-requests.ts'

const TIMEOUT = { timeout: 240_000 }
const REQUESTS = 1_000
const SEED = 20_261_130

test(
  'the hot path and the SDK answer 1,000 requests of both eras equally, and nearly all valid ones are hot',
  TIMEOUT,
  async () => {
    const { valid, validHot, tools } = await runDifferential(REQUESTS, SEED)
    assert.ok(valid >= 0.6 * REQUESTS, `only ${valid} of ${REQUESTS} requests were valid`)
    assert.ok(validHot >= 0.95 * valid, `only ${validHot} of ${valid} valid answers were hot`)
    assert.deepEqual(
      TOOLS.filter((tool) => !tools.has(tool)),
      [],
    )
  },
)
