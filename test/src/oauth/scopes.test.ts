import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createScopes, opens, scopesOf, splitScopes, unknownScopes } from '../../../src/oauth/scopes.ts'

const timeout = 10_000

const servers = [{ id: 'memory', title: 'Memory' }, { id: 'storage' }]

test('a server is a scope, and so is reading on it', { timeout }, () => {
  assert.deepEqual(scopesOf(servers), ['memory', 'memory:read', 'storage', 'storage:read'])
  const scopes = createScopes(servers)
  assert.deepEqual(scopes.offered('storage'), ['storage', 'storage:read'])
  assert.deepEqual(scopes.offered('all'), scopes.all)
  assert.deepEqual(scopes.offered('nothing'), [])
  assert.equal(scopes.sentenceOf('memory:read'), 'Read what is in Memory, and change nothing.')
  assert.equal(scopes.nameOf('storage'), 'storage')
})

test('a token opens the servers of which it may use anything', { timeout }, () => {
  assert.ok(opens(new Set(['memory']), 'memory'))
  assert.ok(opens(new Set(['memory:read']), 'memory'))
  assert.ok(opens(new Set(['tools:github:read']), 'tools'))
  assert.ok(!opens(new Set(['memory', 'tools:memory']), 'storage'))
  assert.ok(!opens(new Set(['tools:storage']), 'storage'))
  assert.ok(opens('all', 'storage'))
})

test('external servers are parts of the server that shows them, as long as they are there', { timeout }, () => {
  const areas = [
    { id: 'github', title: 'GitHub' },
    { id: 'read', title: 'Would mean reading everywhere' },
  ]
  const scopes = createScopes([
    { id: 'tools', title: 'Tools', areas },
    { id: 'router', derived: true },
  ])
  assert.deepEqual(scopes.offered('tools'), ['tools', 'tools:read', 'tools:github', 'tools:github:read'])
  assert.deepEqual(scopes.usual('tools'), ['tools', 'tools:read'])
  assert.deepEqual(scopes.offered('router'), scopes.all)
  assert.match(scopes.sentenceOf('tools:github:read'), /^Use GitHub to read/)
  assert.match(scopes.sentenceOf('tools:github'), /^Use GitHub for whatever/)
  assert.equal(scopes.sentenceOf('tools:read'), 'Read what is in Tools, and change nothing.')
  areas.pop()
  areas.pop()
  assert.deepEqual(scopes.all, ['tools', 'tools:read'])
  assert.deepEqual(unknownScopes(['tools:github'], scopes.offered('tools')), ['tools:github'])
  assert.match(scopes.sentenceOf('tools:gone'), /^Use gone/)
})

test('a scope parameter is a list of names, each once', { timeout }, () => {
  assert.deepEqual(splitScopes(' a  b a '), ['a', 'b'])
  assert.deepEqual(splitScopes(null), [])
  assert.deepEqual(unknownScopes(['memory', 'x', 'offline_access'], ['memory']), ['x'])
})
