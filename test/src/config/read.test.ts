// The table of settings, as pages and `--print-config` show it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settings } from '../../../src/config/read.ts'

test('every setting says what it is for, what it looks like and what holds without it', { timeout: 10_000 }, () => {
  for (const { name, description, form, fallback } of settings) {
    assert.match(description, /\.$/, name)
    assert.ok(form.length > 3 && fallback.length > 0, name)
  }
})
