import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { PASSWORD_LENGTH_MAX, weaknessOf } from '../../../src/operator/password.ts'
import { createPasswordHasher, PARAMETERS } from '../../../src/operator/password-hash.ts'

const timeout = 60_000

test('passwords that a guesser tries first are refused in one sentence that does not repeat them', { timeout }, () => {
  const weak = [
    'password1234',
    'Password123!',
    'P@ssw0rd2024',
    'passwordpassword',
    'letmein12345',
    'qwertyuiop123',
    '123456789012',
    '111111111111',
    'aaaaaaaaaaaab',
    'abcabcabcabc',
    'iloveyou2024',
    'welcome12345',
    'administrator1',
    'correcthorsebatterystaple',
    '1q2w3e4r5t6y',
    'crowcrow1234',
    'zaq12wsxcde3',
    'Summer2025!!',
    'changeme1234',
    'adminadminadmin',
    'monkeydragon1',
    'abcdefghijkl',
    'lkjhgfdsapoi',
    'contraseña1234',
  ]
  for (const password of weak) {
    const weakness = weaknessOf(password)
    assert.ok(weakness !== undefined, password)
    assert.match(weakness, /^[A-Z][^.]*\.$/)
    assert.ok(!weakness.toLowerCase().includes(password.toLowerCase()), password)
  }
  assert.match(weaknessOf('short') ?? '', /at least 12 characters/)
  assert.match(weaknessOf('🐦🐦🐦🐦🐦🐦') ?? '', /at least 12/, 'characters are counted, not their halves')
  assert.match(weaknessOf('x'.repeat(PASSWORD_LENGTH_MAX + 1)) ?? '', /at most/)
})

test('what a person or a machine makes up with some thought is taken', { timeout }, () => {
  const good = [
    'tangerine walks over ice',
    'Zg7#qP0!vKx2',
    'mi abuela nada en marzo',
    'Ветер несёт бумагу',
    '雨の中で踊る猫と青い電車の話',
    'f4e1c2a9b7d0',
    'three quiet otters in the harbour',
    'tr0ub4dor&3 sings',
    'the bakery closes on mondays',
  ]
  for (const password of good) assert.equal(weaknessOf(password), undefined, password)
  const random = fc.string({
    unit: fc.constantFrom(...Array.from('ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789-_')),
    minLength: 20,
    maxLength: 43,
  })
  let refused = 0
  fc.assert(
    fc.property(random, (password) => void (weaknessOf(password) === undefined || refused++)),
    { numRuns: 500 },
  )
  assert.ok(refused < 25, `${refused} of 500 generated passwords were refused`)
})

test('the password of now is no new password, and any text gets an answer at once', { timeout }, () => {
  assert.match(weaknessOf('tangerine walks over ice', 'tangerine walks over ice') ?? '', /have already/)
  const startedAt = performance.now()
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => void weaknessOf(text)),
    { numRuns: 300 },
  )
  for (const text of ['ab'.repeat(128), 'password'.repeat(32), 'a'.repeat(256), `${'ab'.repeat(127)}c`])
    weaknessOf(text)
  assert.ok(performance.now() - startedAt < 10_000)
})

test(
  'a hash is argon2id with its parameters in it, salted, and tells the same letters composed otherwise',
  { timeout },
  async () => {
    const hasher = createPasswordHasher()
    const [one, two] = await Promise.all([hasher.hash('café con leche y pan'), hasher.hash('café con leche y pan')])
    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    assert.notEqual(one, two)
    assert.ok(await hasher.verify(one, 'cafe\u0301 con leche y pan', false))
    assert.ok(!(await hasher.verify(one, 'Café con leche y pan', false)))
    assert.ok(PARAMETERS.memoryCost >= 19_456 && PARAMETERS.timeCost >= 2)
  },
)

test('without an owner the same work is done, and the answer is no', { timeout }, async () => {
  const hasher = createPasswordHasher()
  const known = await hasher.hash('tangerine walks over ice')
  const timed = async (hash: string | undefined): Promise<number> => {
    const startedAt = performance.now()
    for (let round = 0; round < 5; round++) assert.equal(await hasher.verify(hash, 'wrong', false), false)
    return performance.now() - startedAt
  }
  await timed(undefined)
  const [unknownMs, knownMs] = [await timed(undefined), await timed(known)]
  assert.ok(unknownMs > knownMs / 4, `${unknownMs} ms without an owner, ${knownMs} ms with one`)
})

test('a hash of other parameters is outdated, and few hashes run at once', { timeout }, async () => {
  const hasher = createPasswordHasher()
  const old = '$argon2id$v=19$m=4096,t=1,p=1$c29tZXNhbHRzb21lc2E$aGFzaA'
  assert.ok(hasher.isOutdated(old))
  const hashes = await Promise.all(Array.from({ length: 6 }, () => hasher.hash('tangerine walks over ice')))
  assert.ok(hashes.every((hash) => !hasher.isOutdated(hash)))
  const flood = await Promise.allSettled(Array.from({ length: 120 }, () => hasher.verify(hashes[0], 'wrong', false)))
  const refused = flood.filter(({ status }) => status === 'rejected')
  assert.ok(refused.length >= 40, 'beyond the queue, an attempt is refused rather than kept')
})

test('whoever is known waits for two strangers at most, however many there are', { timeout }, async () => {
  const hasher = createPasswordHasher()
  const hash = await hasher.hash('tangerine walks over ice')
  let done = 0
  const flood = Array.from({ length: 120 }, () => hasher.verify(hash, 'wrong', false).then(() => done++))
  const settled = Promise.allSettled(flood)
  assert.equal(await hasher.verify(hash, 'tangerine walks over ice', true), true)
  assert.ok(done <= 4, `${done} strangers came first`)
  await settled
})
