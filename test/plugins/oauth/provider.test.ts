// What we say about the authorization server, and when it is loaded at all.
import assert from 'node:assert/strict'
import type { EventEmitter } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { createProvider } from '../../../plugins/oauth/provider.ts'
import { listen } from '../../fixtures/loopback.ts'
import { sources } from '../../tidy/source.ts'
import { read } from './client.ts'
import { oauthApp } from './oauth-app.ts'

const timeout = 30_000

test('our metadata says what the authorization server says of itself', { timeout }, async (t) => {
  const { app, origin } = await oauthApp(t)
  const provider = await createProvider(app, {})
  const server = createServer((request, response) => {
    provider
      .callback()(request, response)
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  const inner = `http://127.0.0.1:${await listen(t, server)}`
  const path = '/.well-known/oauth-authorization-server'
  const theirs = await read(await fetch(inner + path))
  const ours = await read(await fetch(origin + path))
  const same = ['issuer', 'code_challenge_methods_supported', 'grant_types_supported', 'response_types_supported']
    .concat(['token_endpoint_auth_methods_supported', 'authorization_response_iss_parameter_supported'])
    .concat([
      'client_id_metadata_document_supported',
      'subject_types_supported',
      'id_token_signing_alg_values_supported',
    ])
  for (const name of same) assert.deepEqual(ours.body[name], theirs.body[name], name)
  for (const [name, value] of Object.entries(theirs.body))
    if (/_(endpoint|uri)$/.test(name)) assert.equal(ours.body[name], String(value).replace(inner, origin), name)
})

test('what fails inside the authorization server is in our log, once, and not on stderr', { timeout }, async (t) => {
  const { app, lines } = await oauthApp(t)
  const provider = await createProvider(app, {})
  const written = t.mock.method(process.stderr, 'write', () => true)
  // As Koa does with what no middleware of its own has answered.
  const emitter: EventEmitter = provider
  emitter.emit('error', new Error('the answer could not be written'))
  assert.equal(written.mock.callCount(), 0)
  const told = lines.filter((line) => line.includes('the answer could not be written'))
  assert.equal(told.length, 1)
  assert.match(told[0] ?? '', /"level":"error".*"msg":"the authorization server failed"/)
})

test('the authorization server is loaded by its first request, and by nothing before', { timeout }, () => {
  const files = new Map(sources('src', 'plugins').map((file) => [file.path, file]))
  const seen = new Set<string>()
  const queue = ['src/app.ts', 'plugins/oauth/index.ts', 'plugins/oauth/metadata.ts', 'plugins/ground/addresses.ts']
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    for (const { from, file, typeOnly, lazy } of files.get(path)?.imports ?? []) {
      if (typeOnly || lazy) continue
      assert.notEqual(from, 'oidc-provider', `${path} loads it`)
      if (file !== undefined) queue.push(file)
    }
  }
  assert.ok(seen.has('plugins/oauth/token.ts'))
})
