import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encode } from 'uqr'
import { PASSWORD_LENGTH_MIN } from '../../../src/operator/password.ts'
import { renderAccount, renderEnrolment, renderRecoveryCodes } from '../../../src/pages/account.ts'
import { PASSWORD_LENGTH_MIN as told } from '../../../src/pages/bounds.ts'
import { browserOf } from '../../../src/pages/browser.ts'
import { renderConsent } from '../../../src/pages/consent.ts'
import { inert } from '../../../src/pages/inert.ts'
import { renderLogin, renderSetup } from '../../../src/pages/login.ts'
import { qrCode } from '../../../src/pages/qr.ts'

const timeout = 30_000
const base = '/gate'
const session = { id: 1, userAgent: 'x', address: '192.0.2.1', createdAt: 0, lastSeenAt: 0 }
const consent = {
  base,
  action: '/interaction/abc',
  clientName: 'Client',
  redirectHost: 'client.example',
  loopbackOnly: false,
  audienceName: 'Memory',
  scopes: [
    { scope: 'memory:read', sentence: 'Read what is stored.', ticked: true },
    { scope: 'memory', sentence: 'Change it.', ticked: false },
  ],
}

/** Every page, with this text wherever a stranger could put some. */
const pagesWith = async (text: string): Promise<string[]> => [
  renderConsent({ ...consent, clientName: text, redirectHost: text, clientHost: text, problem: text }),
  renderConsent({
    ...consent,
    clientName: text,
    loopbackOnly: true,
    scopes: [{ scope: text, sentence: text, ticked: true }],
    audienceName: text,
  }),
  renderLogin({ base, hasSecondFactor: true, next: text, problem: { message: text, hint: text } }),
  renderSetup({ base, problem: { message: text } }),
  renderAccount({
    base,
    sessions: [
      { ...session, userAgent: text, address: text },
      { ...session, id: 2 },
    ],
    current: 2,
    hasSecondFactor: false,
    recoveryCodesLeft: 0,
    waiting: Array.from({ length: 11 }, (_, id) => ({ id, name: text, by: text, createdAt: id })),
    done: text,
  }),
  renderAccount({
    base,
    sessions: [session],
    current: 1,
    hasSecondFactor: true,
    recoveryCodesLeft: 1,
    waiting: [],
    problem: { message: text },
  }),
  await renderEnrolment({ base, secret: text, address: 'otpauth://totp/x', problem: { message: text } }),
  renderRecoveryCodes({ base, codes: [text] }),
]

const tags = (page: string): string[] => [...page.matchAll(/<\/?[a-zA-Z!][^\s>]*/g)].map(([tag]) => tag)

test('text of strangers never becomes markup on any page', { timeout }, async () => {
  const [plain] = [await pagesWith('x')]
  const nasty = fc.string({
    unit: fc.constantFrom('<', '>', '"', "'", '&', '/', '=', ' ', 'a', 'script', 'onload', '<b>', '-->', '\u202e'),
    maxLength: 10,
  })
  await fc.assert(
    fc.asyncProperty(nasty, async (text) => {
      const pages = await pagesWith(`x${text}`)
      for (const [index, page] of pages.entries()) assert.deepEqual(tags(page), tags(plain?.[index] ?? ''))
    }),
    { numRuns: 100 },
  )
})

test(
  'every page is a whole document with a language, a title, a main heading, and labels for its fields',
  { timeout },
  async () => {
    for (const page of await pagesWith('x')) {
      assert.match(page, /^<!doctype html>\s*<html lang="en">/)
      assert.match(page, /<meta\s+name="viewport"\s+content="width=device-width, initial-scale=1"/)
      assert.match(page, /<title>[^<]+ · Crow<\/title>/)
      assert.equal(page.match(/<h1>/g)?.length, 1)
      assert.equal(page.match(/<main>/g)?.length, 1)
      const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
      assert.equal(new Set(ids).size, ids.length, 'an id stands once')
      const fields = [...page.matchAll(/<input type="(?:text|password)"[^>]*>/g)].filter(
        ([field]) => !/\shidden/.test(field),
      )
      for (const [field] of fields) {
        const id = /\sid="([^"]+)"/.exec(field)?.[1]
        assert.ok(page.includes(`<label for="${id}">`), field)
        assert.match(field, /autocomplete="/)
      }
      for (const [, described] of page.matchAll(/aria-describedby="([^"]+)"/g))
        for (const id of (described ?? '').split(' ')) assert.ok(ids.includes(id), id)
      for (const [form] of page.matchAll(/<form[^>]*>/g)) assert.match(form, /method="post" action="\/gate\//)
    }
  },
)

test(
  'the consent page shows who asks and where the answer goes, and warns of clients on the device',
  { timeout },
  () => {
    const page = renderConsent({ ...consent, clientName: 'Cl\u202eau\u200bde', clientHost: 'client.example' })
    assert.match(page, /<bdi>Cl au de<\/bdi>/)
    assert.equal(page.match(/client\.example/g)?.length, 2)
    assert.match(page, /value="memory:read"\s+checked/)
    assert.doesNotMatch(page, /value="memory"\s+checked/)
    assert.match(page, /name="decision"\s+value="allow"/)
    assert.match(page, /name="decision"\s+value="deny"/)
    assert.doesNotMatch(page, /stays on the device/)
    const local = renderConsent({ ...consent, loopbackOnly: true, clientName: '\u200b' })
    assert.match(local, /stays on the device/)
    assert.match(local, /A client without a name/)
    assert.doesNotMatch(local, /Vouched for/)
  },
)

test('a name is one visible line of bounded length, whatever it was', { timeout }, () => {
  const unit = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 1 }),
    fc.constantFrom('\u202e', '\u200b', '\u0301', '\u{e0041}', '\n', '\u2028', '\ufeff', '\u3164', 'a', '👩‍👩‍👧'),
  )
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 400 }), (name) => {
      const shown = inert(name)
      assert.ok(Array.from(shown).length <= 80)
      assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\n\r\t]/u)
      assert.doesNotMatch(shown, /\p{M}{4}|^\s|\s$|\s\s/u)
      assert.equal(inert(shown), shown)
    }),
    { numRuns: 1000 },
  )
  assert.equal(inert('  Visual   Studio Code \u200f'), 'Visual Studio Code')
  assert.equal(inert('Café Ñandú 日本語 العربية'), 'Café Ñandú 日本語 العربية')
  assert.equal(Array.from(inert('x'.repeat(500))).length, 80)
})

test('a browser is named in words people know, and by its own where they do not', { timeout }, () => {
  const cases: readonly (readonly [string, string])[] = [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['curl/8.5.0', 'curl/8.5.0'],
    ['', 'Unknown browser'],
  ]
  for (const [agent, name] of cases) assert.equal(browserOf(agent), name)
})

test('the QR code draws the squares of the symbol, dark on light, with its quiet zone', { timeout }, async () => {
  const text = 'otpauth://totp/Crow:operator?secret=GEZDGNBVGY3TQOJQ'
  const svg = (await qrCode(text, 'a "code"')).toString()
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
  const drawn = new Set([...svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x},${y}`))
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`${x},${y}`] : [])))
  assert.deepEqual([...drawn].toSorted(), dark.toSorted())
  assert.ok(dark.every((at) => at.split(',').every((place) => Number(place) >= 4 && Number(place) < size - 4)))
  assert.match(svg, /role="img"\s+aria-label="a &quot;code&quot;"/)
  assert.match(svg, new RegExp(`viewBox="0 0 ${size} ${size}"`))
})

test('the page tells the length that a password needs', { timeout }, () => {
  assert.equal(told, PASSWORD_LENGTH_MIN)
})
