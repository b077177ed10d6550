// Profiles as they are kept: who has which, what is refused, and that every process on the data folder knows at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessEvent } from '../../../src/db/audit.ts'
import { openDatabase, type Database } from '../../../src/db/client.ts'
import { onForeignChange } from '../../../src/db/foreign-change.ts'
import { DomainError } from '../../../src/errors.ts'
import { createBus, type Change } from '../../../src/runtime/bus.ts'
import { compileCatalog } from '../../../src/runtime/catalog.ts'
import type { Caller } from '../../../src/runtime/context.ts'
import { auditedProfiles } from '../../../src/runtime/profiles/audited.ts'
import { DEFAULT_PROFILE, withProfile } from '../../../src/runtime/profiles/profile.ts'
import { openProfiles, type Profiles } from '../../../src/runtime/profiles/profiles.ts'
import { surface } from '../../fixtures/surface/index.ts'
import { foreignServer, mutableSource } from '../../fixtures/surface/mutable-source.ts'
import { until } from '../../fixtures/until.ts'
import { temporaryDatabase } from '../db/temporary.ts'

const timeout = 20_000
const laptop: Caller = { id: 'local:1', kind: 'local', scopes: 'all', client: 'laptop' }
const claude: Caller = { id: 'oauth:1', kind: 'oauth', scopes: new Set(['memory']), client: 'Claude', clientId: 'abc' }

async function opened(db: Database, watch = true) {
  const source = mutableSource()
  const catalog = compileCatalog([...surface, foreignServer(source)], { availableNeeds: ['blobs'] })
  const changes: Change[] = []
  const bus = createBus()
  bus.on((change) => void changes.push(change))
  const profiles = await openProfiles(
    db,
    { now: () => 7 },
    {
      watch,
      bus,
      log: { warn: (detail) => assert.fail(JSON.stringify(detail)) },
      catalog: () => catalog,
    },
  )
  return { profiles, changes, source }
}

const refused = async (work: Promise<unknown>, code: string, words: RegExp): Promise<void> => {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof DomainError)
    assert.equal(error.code, code)
    assert.match(`${error.message} ${error.hint ?? ''}`, words)
    return true
  })
}

test('an address goes before the client, the client before the default', { timeout }, async (t) => {
  const { profiles } = await opened(await temporaryDatabase(t))
  assert.equal(profiles.of(laptop), DEFAULT_PROFILE)
  await profiles.give('token:laptop', 'direct')
  await profiles.give('oauth:abc', { mode: 'auto', budgetTokens: 300, pins: ['crow_store_memory'] })
  assert.equal(profiles.of(laptop).mode, 'direct')
  assert.deepEqual({ ...profiles.of(claude) }, { mode: 'auto', budgetTokens: 300, pins: ['crow_store_memory'] })
  assert.equal(profiles.of({ ...claude, id: 'oauth:99' }), profiles.of(claude), 'a new consent is the same client')
  assert.equal(profiles.of({ ...claude, clientId: 'other' }), DEFAULT_PROFILE)
  assert.equal(profiles.of(withProfile(laptop, 'auto')).mode, 'auto')
  // A session goes on when the profile of its address is removed.
  assert.equal(profiles.of(withProfile(laptop, 'gone')).mode, 'direct')
  await profiles.take('token:laptop')
  assert.equal(profiles.of(laptop), DEFAULT_PROFILE)
})

test('a profile by name changes for everybody who has it, and is not removed under them', { timeout }, async (t) => {
  const { profiles, changes } = await opened(await temporaryDatabase(t))
  await profiles.define('work', { mode: 'router', pins: ['store_memory', 'crow_get_post', 'crow_get_post'] })
  await profiles.give('token:laptop', 'work')
  assert.deepEqual(profiles.of(laptop).pins, ['crow_get_post', 'crow_store_memory'])
  await profiles.define('work', { mode: 'direct' })
  assert.equal(profiles.of(laptop).mode, 'direct')
  assert.equal(profiles.find('work'), profiles.of(laptop))
  await refused(profiles.remove('work'), 'PROFILE_IN_USE', /that of token:laptop/)
  await profiles.take('token:laptop')
  await profiles.remove('work')
  assert.equal(profiles.find('work'), undefined)
  assert.equal(changes.length, 5)
  assert.deepEqual(
    profiles.list().profiles.map(({ name }) => name),
    ['router', 'direct', 'auto'],
  )
})

test('what makes no profile is refused in a sentence, and nothing changes', { timeout }, async (t) => {
  const { profiles, changes } = await opened(await temporaryDatabase(t))
  await refused(
    profiles.give('token:laptop', 'dirct'),
    'PROFILE_UNKNOWN',
    /Did you mean direct\? Profiles: router, direct, auto\./,
  )
  for (const name of ['', 'Work', 'a b', '-x', 'x'.repeat(33), '__proto__'])
    await refused(profiles.define(name, { mode: 'direct' }), 'PROFILE_INVALID', /1 to 32 characters/)
  await refused(profiles.define('auto', { mode: 'direct' }), 'PROFILE_INVALID', /built in/)
  await refused(profiles.remove('router'), 'PROFILE_INVALID', /built in/)
  await refused(profiles.remove('nothing'), 'PROFILE_UNKNOWN', /no profile "nothing"/)
  await refused(profiles.take('token:laptop'), 'PROFILE_UNKNOWN', /no profile of its own/)
  const pin = async (...pins: string[]) => await profiles.define('work', { mode: 'router', pins })
  await refused(pin('crow_stor_memory'), 'PROFILE_INVALID', /no tool "crow_stor_memory".* Nearest: crow_store_memory,/)
  await refused(pin('crow_memory'), 'PROFILE_INVALID', /no tool "crow_memory"/)
  await refused(pin('x'.repeat(5000)), 'PROFILE_INVALID', /no tool "x{64}…"/)
  await refused(
    profiles.define('work', { mode: 'direct', pins: ['crow_get_post'] }),
    'PROFILE_INVALID',
    /lists every tool/,
  )
  await refused(profiles.define('work', { mode: 'router', budgetTokens: 5 }), 'PROFILE_INVALID', /A budget is for auto/)
  const all = surface.flatMap(({ tools, prefix }) => tools.map(({ name }) => `${prefix}${name}`))
  await refused(pin(...all), 'PROFILE_INVALID', /At most 64 tools/)
  assert.deepEqual([changes.length, profiles.list().clients], [0, []])
})

test('a pin whose tool is off stays, and can be said again with the others', { timeout }, async (t) => {
  const { profiles, source } = await opened(await temporaryDatabase(t))
  await profiles.give('token:laptop', { mode: 'router', pins: ['getIssue'] })
  source.remove('getIssue')
  assert.deepEqual(profiles.of(laptop).pins, ['getIssue'])
  await profiles.give('token:laptop', { mode: 'router', pins: ['getIssue', 'crow_get_post'] })
  assert.deepEqual(profiles.of(laptop).pins, ['crow_get_post', 'getIssue'])
  await refused(
    profiles.give('oauth:abc', { mode: 'router', pins: ['getIssue'] }),
    'PROFILE_INVALID',
    /no tool "getIssue"/,
  )
})

test('another process follows within a second, and is told of changes of profiles only', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const other = await openDatabase({ path: db.path })
  t.after(() => other.close())
  const here = await opened(db)
  const command = await opened(other, false)
  // Begun later and as quick: when it has noticed a commit, so have the profiles.
  let noticed = 0
  t.after(onForeignChange(db, () => void noticed++))
  await other.write((tx) => tx.sqlite.prepare("INSERT INTO settings VALUES ('x', '1', 1)").run())
  await until(() => noticed > 0)
  assert.deepEqual(here.changes, [])
  const before = here.profiles.of(laptop)
  await command.profiles.give('token:laptop', 'direct')
  await until(() => here.profiles.of(laptop) !== before, 'the other process follows', 1000)
  assert.equal(here.profiles.of(laptop).mode, 'direct')
  const kept = here.profiles.of(laptop)
  await command.profiles.give('oauth:abc', 'auto')
  await until(() => here.profiles.of(claude).mode === 'auto', 'the second change', 1000)
  assert.equal(here.changes.length, 2)
  assert.equal(here.profiles.of(laptop), kept)
})

test('there is a bound to how many are kept', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  await db.write(({ sqlite }) => {
    const insert = sqlite.prepare(
      "INSERT INTO client_profiles (kind, key, mode, pins, updated_at) VALUES ('profile', ?, 'direct', '[]', 1)",
    )
    for (let n = 0; n < 500; n++) insert.run(`p${n}`)
  })
  const { profiles } = await opened(db)
  await refused(profiles.define('one-more', { mode: 'direct' }), 'PROFILES_FULL', /500 profiles already/)
  await profiles.define('p1', { mode: 'router' })
})

test('every change, and every refusal of one, is a row of the trail', { timeout }, async (t) => {
  const rows: Partial<AccessEvent>[] = []
  const { profiles: bare } = await opened(await temporaryDatabase(t))
  const profiles: Profiles = auditedProfiles(bare, { access: (event) => void rows.push(event) }, () => 'cli')
  await profiles.define('work', { mode: 'direct' })
  await profiles.give('token:laptop', 'work')
  await assert.rejects(profiles.remove('work'))
  await profiles.take('token:laptop')
  await profiles.remove('work')
  assert.deepEqual(
    rows.map(({ event, outcome, caller, subject }) => `${event} ${outcome} ${caller} ${subject}`),
    [
      'profile_set ok cli profile:work',
      'profile_set ok cli client:token:laptop',
      'profile_remove PROFILE_IN_USE cli profile:work',
      'profile_remove ok cli client:token:laptop',
      'profile_remove ok cli profile:work',
    ],
  )
})
