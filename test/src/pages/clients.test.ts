import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { renderClients, type ClientsPage } from '../../../src/pages/clients.ts'
import { renderSecret } from '../../../src/pages/clients-secret.ts'

const timeout = 30_000
const none = { rows: [], total: 0 }
const form = { name: '', scopes: [], everything: false, days: 90, client: '', clients: [] }
const empty: ClientsPage = { base: '/gate', connections: none, consents: none, clients: none, tokens: none, form }
const at = { createdAt: 0, lastUsedAt: null }

const one = <T>(row: T) => ({ rows: [row], total: 2, more: 'x=1-1' })

/** Both pages, with this text wherever a stranger or the owner could put some. */
function pagesWith(text: string): string[] {
  const full: ClientsPage = {
    base: '/gate',
    connections: one({
      ...at,
      id: 1,
      clientName: text,
      clientHost: text,
      redirectHost: text,
      serverName: text,
      sentences: [text],
    }),
    consents: one({ ...at, key: 'k', clientName: text, clientHost: text, serverNames: text, sentences: [text] }),
    clients: one({ ...at, key: 'k', name: text, isMadeByOwner: false, redirectHosts: [text] }),
    tokens: one({ ...at, id: 1, name: text, isExpired: false, sentences: [text], expiresAt: 0 }),
    form: { ...form, name: text, wrong: 'name', clients: [{ id: text, title: text }] },
    problem: { message: text, hint: text },
  }
  const snippet = { title: text, text, isCommand: false, file: text, afterwards: text }
  const addresses = [{ serverName: text, url: text }]
  return [renderClients(full), renderSecret({ base: '', name: text, secret: text, addresses, client: snippet })]
}

const tags = (page: string): string[] => [...page.matchAll(/<\/?[a-zA-Z!][^\s>]*/g)].map(([tag]) => tag)

test('names of strangers never become markup on the page of clients', { timeout }, () => {
  const plain = pagesWith('x').map(tags)
  const nasty = fc.string({
    unit: fc.constantFrom('<', '>', '"', "'", '&', '/', '=', ' ', 'a', 'script', 'onload', '<b>', '-->', '\u202e'),
    maxLength: 10,
  })
  fc.assert(
    fc.property(nasty, (text) => assert.deepEqual(pagesWith(`x${text}`).map(tags), plain)),
    { numRuns: 100 },
  )
})

test('a name that hides, reorders or is not there is shown as what it is', { timeout }, () => {
  const [page = ''] = pagesWith('Cla\u202eude\u200b')
  assert.doesNotMatch(page, /[\u202e\u200b]<\/bdi>/)
  assert.match(page, /<bdi>Cla ude<\/bdi>/)
  const [nameless = ''] = pagesWith('\u200b')
  assert.match(nameless, /<bdi>A client without a name<\/bdi>/)
})

test('without clients the page says so, and offers nothing to end', { timeout }, () => {
  const page = renderClients(empty)
  assert.match(page, /No client is connected/)
  assert.doesNotMatch(page, /revoke-all|forget|Registered/)
  assert.match(page, /href="\/gate\/account"/)
  assert.match(page, /aria-current="page">Connected clients</)
})

test('a page has no script, and every button of a list says what it ends', { timeout }, () => {
  for (const page of pagesWith('x')) assert.doesNotMatch(page, /<script|javascript:|\son\w+=/)
  const [page = ''] = pagesWith('x')
  const buttons = [...page.matchAll(/<button class="danger"[^>]*>\s*(?:Disconnect|Ask again|Forget|Revoke)\s*</g)]
  assert.equal(buttons.length, 4)
  for (const [button] of buttons) assert.match(button, /aria-label="[^"]* x,/)
})
