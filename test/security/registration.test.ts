// Attacks by what a client says of itself: floods of registrations, documents that lie inside.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FetchRefused, type FetchPorts } from '../../src/lib/guarded-fetch.ts'
import { createDocumentFetch } from '../../src/oauth/client-documents.ts'
import { Browser } from '../plugins/oauth/browser.ts'
import { begin, LOOPBACK, register, WEB } from '../plugins/oauth/client.ts'
import { ownedApp } from './owned-app.ts'

const timeout = 120_000

test('a flood of registrations is stopped, and what one may hold is bounded', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const big = { redirect_uris: [LOOPBACK], client_name: 'x', filler: 'y'.repeat(2 ** 20) }
  assert.equal((await register(app, big)).status, 413)
  const many = Array.from({ length: 1_000 }, (_, index) => `http://127.0.0.1/${index}`)
  assert.ok([400, 413].includes((await register(app, { redirect_uris: many })).status))
  assert.equal((await register(app, { redirect_uris: many.slice(0, 17) })).status, 400)
  const statuses: number[] = []
  for (let index = 0; index < 30; index++) statuses.push((await register(app, { redirect_uris: [LOOPBACK] })).status)
  assert.equal(statuses.at(-1), 429)
  assert.ok(statuses.filter((status) => status === 201).length <= 20)
  const kept = app.app.database.sqlite.prepare('SELECT count(*) FROM oauth_clients').pluck().get()
  assert.ok(Number(kept) <= 20)
})

function hostileNames(reached: string[]): FetchPorts {
  const answers: Record<string, readonly string[]> = {
    'inside.example': ['169.254.169.254'],
    'mixed.example': ['10.0.0.7', '93.184.216.34'],
    'mapped.example': ['::ffff:127.0.0.1'],
    'local6.example': ['fd00::1'],
  }
  let asked = 0
  return {
    resolve: async (name) => {
      if (name !== 'rebinding.example') return answers[name] ?? [name.replaceAll(/^\[|\]$/g, '')]
      asked += 1
      return asked === 1 ? ['93.184.216.34'] : ['127.0.0.1']
    },
    connect: ({ address }) => {
      reached.push(address)
      throw new FetchRefused('the body SECRET-OF-THE-INSIDE')
    },
  }
}

test('the address of a client leads nobody inside, and nothing from there is shown', { timeout }, async (t) => {
  const reached: string[] = []
  const fetchDocument = createDocumentFetch(hostileNames(reached))
  const app = await ownedApp(t, {}, { oauth: { fetchDocument } })
  const browser = new Browser(app.origin)
  await browser.logIn()
  for (const host of [
    'inside.example',
    'mixed.example',
    'mapped.example',
    'local6.example',
    'rebinding.example',
    'localhost',
    '127.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0x7f.1',
    '2130706433',
    '169.254.169.254',
    '[fd00::1]',
  ]) {
    for (const scheme of ['https', 'http']) {
      const id = `${scheme}://${host}/client.json`
      const { page, location } = await browser.authorize(begin(app, id, { redirect_uri: WEB }).url)
      assert.equal(location, undefined, id)
      assert.equal(page?.status, 400, id)
      assert.ok(!page.text.includes('SECRET-OF-THE-INSIDE'), id)
    }
  }
  for (const address of reached) assert.equal(address, '93.184.216.34')
})
