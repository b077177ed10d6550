// The public path in front of every route, stripped or not by a proxy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutBase } from '../../../plugins/armour/server.ts'
import { armouredApp } from '../armoured-app.ts'

const timeout = 20_000

test('only a whole path segment counts as the public path', { timeout }, () => {
  const strip = withoutBase('/crow')
  const cases = {
    '/crow/mcp?x=1': '/mcp?x=1',
    '/crow': '/',
    '/crow?a': '/?a',
    '/crow/': '/',
    '/crowd/mcp': '/crowd/mcp',
    '/mcp': '/mcp',
    '/a/crow/mcp': '/a/crow/mcp',
  }
  for (const [from, to] of Object.entries(cases)) assert.equal(strip({ url: from }), to)
})

test('routes answer below the public path and at the root', { timeout }, async (t) => {
  const { app } = await armouredApp(t, { CROW_GATEWAY_URL: 'https://crow.example/crow' })
  for (const url of ['/crow/open', '/open']) assert.equal((await app.inject(url)).statusCode, 200, url)
})
