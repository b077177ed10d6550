// Which client is meant by what the owner typed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GatewayError } from '../../../src/errors.ts'
import { UsageError } from '../../../src/cli/options.ts'
import { clientNamed, type ProfileClient } from '../../../src/cli/profile-clients.ts'

const timeout = 5_000

const client = (key: string, label: string, ...names: string[]): ProfileClient => ({
  key,
  label,
  names: [key, ...names],
  caller: { id: 'cli', kind: 'oauth', scopes: new Set() },
})
const clients = [
  client('oauth:a1', 'Claude', 'a1', 'oauth:3', 'oauth:7'),
  client('oauth:b2', 'Claude', 'b2'),
  client('oauth:c3', 'Cursor', 'c3'),
  client('token:c3', 'c3', 'local:1'),
  client('token:Cursor', 'Cursor', 'local:2'),
]
const meant = (typed: string): string => clientNamed(clients, typed).key

test('a client goes by its key, its id, its numbers, and by a name that nobody else has', { timeout }, () => {
  for (const typed of ['a1', 'oauth:a1', 'oauth:3', 'oauth:7']) assert.equal(meant(typed), 'oauth:a1', typed)
  assert.equal(meant('local:1'), 'token:c3')
  // What a client calls itself never hides an id.
  assert.equal(meant('c3'), 'oauth:c3')
  for (const [typed, said] of [
    ['Claude', /"Claude" is the name of oauth:a1 and of oauth:b2; type one of these/],
    ['Cursor', /oauth:c3 and of token:Cursor/],
  ] as const)
    assert.throws(
      () => meant(typed),
      (error) => error instanceof UsageError && said.test(error.message),
    )
})

test('one that is an address is known before it came, anybody else is not', { timeout }, () => {
  assert.equal(meant('https://app.example/client.json'), 'oauth:https://app.example/client.json')
  for (const typed of ['Clade', '', 'http://app.example/client.json'])
    assert.throws(
      () => meant(typed),
      (error) => error instanceof GatewayError && error.code === 'CLIENT_MISSING',
    )
})
