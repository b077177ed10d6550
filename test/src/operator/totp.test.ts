// The vectors of RFC 6238, Appendix B, for SHA-1, as six digits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asTotpCode, freshRecoveryCode, freshSetupCode, hashOfCode } from '../../../src/operator/codes.ts'
import { freshTotpSecret, stepOf, totpAddress } from '../../../src/operator/totp.ts'

const timeout = 20_000
/** `12345678901234567890` in base 32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const VECTORS: readonly (readonly [seconds: number, code: string])[] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
]

test('the codes of RFC 6238 are taken in their step and one beside it, and not two away', { timeout }, async () => {
  for (const [seconds, code] of VECTORS) {
    const step = Math.floor(seconds / 30)
    const at = (steps: number) => stepOf(SECRET, code, (step + steps) * 30_000)
    assert.deepEqual(await Promise.all([at(-1), at(0), at(1)]), [step, step, step])
    assert.deepEqual(await Promise.all([at(-2), at(2)]), [undefined, undefined])
  }
})

test('only six digits are a code, however they are grouped', { timeout }, async () => {
  assert.equal(asTotpCode(' 287 082 '), '287082')
  assert.equal(asTotpCode('２８７０８２'), '287082')
  for (const typed of ['', '28708', '2870820', '28708a', '1234-5678-9012-3456-7890'])
    assert.equal(asTotpCode(typed), undefined)
  assert.equal(await stepOf(SECRET, '287 082', 59_000), 1)
})

test('a secret is 160 random bits, and its address names the issuer and every parameter', { timeout }, async () => {
  const secret = await freshTotpSecret()
  assert.match(secret, /^[A-Z2-7]{32}$/)
  assert.notEqual(secret, await freshTotpSecret())
  const address = new URL(await totpAddress(secret, 'operator'))
  assert.equal(address.protocol, 'otpauth:')
  assert.equal(address.searchParams.get('secret'), secret)
  assert.deepEqual(
    ['issuer', 'algorithm', 'digits', 'period'].map((name) => address.searchParams.get(name)),
    ['Crow', 'SHA1', '6', '30'],
  )
})

test('one-time codes are read however people type them', { timeout }, () => {
  const setup = freshSetupCode()
  assert.match(setup, /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/)
  assert.match(freshRecoveryCode(), /^\d{4}(-\d{4}){4}$/)
  assert.deepEqual(hashOfCode(` ${setup.toLowerCase().replaceAll('-', ' ')} `), hashOfCode(setup))
  assert.deepEqual(hashOfCode('OIL0-1111'), hashOfCode('011o 1il1'))
  assert.notDeepEqual(hashOfCode(freshSetupCode()), hashOfCode(setup))
})
