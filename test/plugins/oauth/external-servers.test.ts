// Access to single external servers: asked for, shown in words, granted, kept by refreshing, and gone when the server is.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { toolsServer } from '../../../src/upstream/tools-server.ts'
import { externalSource } from '../../fixtures/external/source.ts'
import { Browser } from './browser.ts'
import { begin, call, connect, newClient, read, refresh, textOf } from './client.ts'
import { oauthApp } from './oauth-app.ts'

const timeout = 60_000
const PATH = '/tools/mcp'

async function start(t: TestContext) {
  const source = externalSource()
  const app = await oauthApp(t, { servers: [toolsServer(source)] })
  const clientId = await newClient(app)
  const resource = app.origin + PATH
  const supported = async (path: string): Promise<unknown> => {
    const document = await read(await fetch(`${app.origin}/.well-known/oauth-protected-resource${path}`))
    return document.body['scopes_supported']
  }
  return { app, source, clientId, resource, supported }
}

test('the metadata of the mount names the external servers that there are at that moment', { timeout }, async (t) => {
  const { source, supported } = await start(t)
  const [all, files] = [
    ['tools', 'tools:read'],
    ['tools:files', 'tools:files:read'],
  ]
  assert.deepEqual(await supported(PATH), [...all, 'tools:github', 'tools:github:read', ...files])
  assert.deepEqual(await supported('/memory/mcp'), ['memory', 'memory:read'])
  source.removeArea('github')
  source.addArea({ id: 'late', title: 'Late' })
  assert.deepEqual(await supported(PATH), [...all, ...files, 'tools:late', 'tools:late:read'])
})

test('one is asked for, shown by its title, granted, and kept through refreshing', { timeout }, async (t) => {
  const { app, source, clientId, resource } = await start(t)
  const scope = 'tools:github:read tools:files'
  const { answer, access, refresh: first } = await connect(app, clientId, { at: { resource, scope } })
  assert.equal(answer.body['scope'], 'tools:github:read tools:files')
  assert.deepEqual((await call(app, PATH, access)).body['scopes'], ['tools:github:read', 'tools:files'])
  source.removeArea('files')
  const without = await refresh(app, clientId, first)
  assert.equal(without.body['scope'], 'tools:github:read')
  source.addArea({ id: 'files', title: 'Files' })
  const again = await refresh(app, clientId, textOf(without, 'refresh_token'))
  assert.equal(again.body['scope'], 'tools:github:read tools:files')
})

test('one that does not exist is refused before anybody is asked', { timeout }, async (t) => {
  const { app, clientId, resource } = await start(t)
  for (const scope of ['tools:none', 'tools:none:read', 'tools:github:write', 'tools:read:read', 'memory:github']) {
    const browser = new Browser(app.origin)
    const { location } = await browser.authorize(begin(app, clientId, { resource, scope }).url)
    assert.equal(location?.searchParams.get('error'), 'invalid_scope', scope)
    assert.deepEqual(browser.seen, [])
  }
})

test('who asks for nothing in particular is offered all of them as one', { timeout }, async (t) => {
  const { app, clientId, resource } = await start(t)
  const shown: string[][] = []
  await connect(app, clientId, { at: { resource }, tick: (scopes) => (shown.push(scopes), ['tools:read']) })
  assert.deepEqual(shown, [['tools', 'tools:read']])
})
