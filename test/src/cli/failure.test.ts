import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { unwritable } from '../../../src/cli/doctor/folder.ts'
import { describeFailure } from '../../../src/cli/failure.ts'
import { GatewayError } from '../../../src/errors.ts'
import { openFault } from '../../../src/db/faults.ts'

const timeout = 10_000

/** What the person reads when the data folder cannot be opened because of `code`. */
function failureOf(code: string) {
  const path = join(import.meta.dirname, 'nowhere', 'crow.db')
  return describeFailure(openFault(Object.assign(new Error('refused'), { code }), path))
}

test('every way in which a data folder cannot be created has the exit code for that', { timeout }, () => {
  for (const code of ['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ENOSPC', 'EIO', 'ELOOP', 'ENAMETOOLONG'])
    assert.equal(failureOf(code)?.exitCode, 73, code)
  assert.equal(failureOf('SQLITE_BUSY')?.exitCode, 69)
})

test('a read-only file system is told from missing permissions', { timeout }, () => {
  assert.match(failureOf('EROFS')?.lines.join() ?? '', /nowhere .* is on a read-only file system; mount it writable/)
  assert.match(failureOf('EACCES')?.lines.join() ?? '', /We may not write/)
  assert.match(unwritable('data folder', '/data', 0, 'EROFS').message, /is on a read-only file system/)
  assert.match(unwritable('data folder', '/data', 0, 'EACCES').message, /belongs to uid 0/)
})

test('a key that opens nothing is a matter of the configuration, like one that is none', { timeout }, () => {
  for (const code of ['SECRET_UNREADABLE', 'KEY_UNREADABLE', 'KEY_INVALID', 'KEY_EXPOSED'])
    assert.equal(describeFailure(new GatewayError('unavailable', code, 'No.'))?.exitCode, 78, code)
})
