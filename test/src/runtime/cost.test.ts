import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { promisify } from 'node:util'

// In a process of its own: the test runner watches every promise, which would be measured as well.
test('calls and compiling stay below the bars of the runtime bench', { timeout: 120_000 }, async () => {
  const bench = fileURLToPath(new URL('../../../bench/runtime.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [bench, '--quick'], { timeout: 110_000 })
  assert.doesNotMatch(stdout, /OVER/)
  assert.equal(stdout.match(/ok {3}≤/g)?.length, 8, stdout)
})
