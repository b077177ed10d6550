import assert from 'node:assert/strict'
import { test } from 'node:test'
import { abilityFor } from '../../../src/upstream/abilities.ts'

test('a person is only ever sent to a page', { timeout: 5_000 }, () => {
  for (const url of ['https://example.org/login', 'http://127.0.0.1:1/x'])
    assert.equal(abilityFor('elicitation/create', { mode: 'url', url }), 'elicitation.url')
  for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'vscode://x', 'no', '', 5, undefined])
    assert.equal(abilityFor('elicitation/create', { mode: 'url', url }), undefined, String(url))
})
