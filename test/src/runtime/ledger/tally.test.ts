// The arithmetic of the ledger, against a recount of the same events one by one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { LedgerLine } from '../../../../src/db/context-ledger.ts'
import { DAY_MS } from '../../../../src/lib/time.ts'
import type { EndEvent, ListEvent } from '../../../../src/runtime/observe.ts'
import { dateOf, dayOf, savedBytes, Tally, totalOf } from '../../../../src/runtime/ledger/tally.ts'
import { callerOf, listed, replied } from './events.ts'

const timeout = 30_000

type Event = { readonly list: ListEvent } | { readonly reply: EndEvent } | { readonly cut: 'write' | 'fail' }

const at = fc.integer({ min: 0, max: 3 * DAY_MS })
/** The same objects again and again, as verified tokens are. */
const callers = ['local:1', 'local:2', 'oauth:1'].flatMap((id) =>
  [undefined, 'a', 'b'].map((name) => callerOf(id, name)),
)
const caller = fc.constantFrom(...callers)
const bytes = fc.nat({ max: 5000 })
const event: fc.Arbitrary<Event> = fc.oneof(
  fc
    .record({ at, caller, mount: fc.constantFrom('router', 'memory'), bytes, directBytes: bytes })
    .map((list) => ({ list: listed(list) })),
  fc
    .record({
      at,
      caller,
      bytes,
      server: fc.constantFrom('memory', 'blog', 'router'),
      via: fc.constantFrom(undefined, 'router'),
      isError: fc.boolean(),
      kind: fc.constantFrom('tool' as const, 'resource' as const),
    })
    .map((reply) => ({ reply: replied(reply) })),
  fc.record({ cut: fc.constantFrom('write' as const, 'fail' as const) }),
)

const keyOf = ({ day, caller: by, client, mount }: Pick<LedgerLine, 'day' | 'caller' | 'client' | 'mount'>): string =>
  [day, by, client, mount].join('|')

const sum = (of: readonly { readonly bytes: number }[]): number => of.reduce((total, each) => total + each.bytes, 0)

/** What a person would count, with a list of events and a pencil. */
function recount(events: readonly Event[], key: string): Omit<LedgerLine, 'day' | 'caller' | 'client' | 'mount'> {
  const lists = events.flatMap((each) => ('list' in each ? [each.list] : []))
  const calls = events.flatMap((each) => ('reply' in each && each.reply.kind === 'tool' ? [each.reply] : []))
  const isHere = (when: number, who: ListEvent['caller'], mount: string): boolean =>
    keyOf({ day: dayOf(when), caller: who.id, client: who.client ?? who.id, mount }) === key
  const sent = lists.filter((list) => isHere(list.at, list.caller, list.mount))
  const told = calls
    .filter((call) => isHere(call.at, call.caller, call.via ?? call.server))
    .filter((call) => !call.isError || call.bytes > 0)
  const errors = told.filter((call) => call.via !== undefined && call.isError)
  const discovers = told.filter((call) => call.via === call.server && !call.isError)
  const replies = told.filter((call) => !errors.includes(call) && !discovers.includes(call))
  return {
    lists: sent.length,
    listBytes: sum(sent),
    directBytes: sent.reduce((total, list) => total + list.directBytes, 0),
    discovers: discovers.length,
    discoverBytes: sum(discovers),
    errors: errors.length,
    errorBytes: sum(errors),
    replies: replies.length,
    replyBytes: sum(replies),
  }
}

test('whatever happens in whatever order, every line is what a recount gives', { timeout }, () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const tally = new Tally()
      const written: LedgerLine[] = []
      for (const each of events) {
        if ('list' in each) tally.list(each.list)
        else if ('reply' in each) tally.reply(each.reply)
        else if (each.cut === 'write') written.push(...tally.take())
        else tally.putBack(tally.take())
      }
      written.push(...tally.take())
      assert.ok(tally.isEmpty)
      const keys = new Set(written.map(keyOf))
      for (const key of keys) {
        const {
          day: _day,
          caller: _caller,
          client: _client,
          mount: _mount,
          ...sums
        } = {
          ...written.find((line) => keyOf(line) === key),
          ...totalOf(written.filter((line) => keyOf(line) === key)),
        }
        assert.deepEqual(sums, recount(events, key))
      }
      const all = totalOf(written)
      assert.equal(savedBytes(all), all.directBytes - all.listBytes - all.discoverBytes - all.errorBytes)
      // Nothing is lost beside the keys either.
      assert.equal(all.lists, events.filter((each) => 'list' in each).length)
    }),
    { numRuns: 300 },
  )
})

test('what could not be written stays as few lines, however long it lasts', { timeout }, () => {
  const tally = new Tally()
  for (let round = 0; round < 500; round++) {
    tally.list(listed({ at: (round % 2) * DAY_MS }))
    tally.putBack(tally.take())
  }
  const lines = tally.take()
  assert.deepEqual(
    lines.map(({ day, lists, listBytes }) => [day, lists, listBytes]),
    [
      [0, 250, 25_000],
      [1, 250, 25_000],
    ],
  )
})

test('clients beyond the bound are one, and a name that they chose is cut, masked and whole text', { timeout }, () => {
  const tally = new Tally()
  for (let client = 0; client < 100; client++) tally.list(listed({ caller: callerOf(`oauth:${client}`, 'many') }))
  const lines = tally.take()
  assert.equal(lines.length, 65)
  assert.equal(totalOf(lines).lists, 100)
  assert.deepEqual(
    lines.filter((line) => line.caller === 'other').map(({ client, lists }) => [client, lists]),
    [['other', 36]],
  )
  const names = [`${'x'.repeat(127)}😀`, 'crow_local_sentinelsentinelsentinel']
  for (const name of names) tally.list(listed({ caller: callerOf('local:1', name) }))
  assert.deepEqual(
    tally.take().map(({ client }) => client),
    [`${'x'.repeat(127)}�`, '[masked]'],
  )
})

test(
  'a person at a shell and a refusal at the door are no context; a client counts by the name of the moment',
  { timeout },
  () => {
    const tally = new Tally()
    tally.reply(replied({ caller: { ...callerOf('cli'), kind: 'cli' } }))
    tally.reply(replied({ isError: true, bytes: 0 }))
    assert.ok(tally.isEmpty)
    const renamed = { ...callerOf('stdio', 'one') }
    for (const client of ['one', 'two', 'one']) tally.list(listed({ caller: Object.assign(renamed, { client }) }))
    assert.deepEqual(
      tally.take().map(({ client, lists }) => [client, lists]),
      [
        ['one', 2],
        ['two', 1],
      ],
    )
    assert.equal(dateOf(dayOf(Date.parse('2026-02-28T23:59:59.999Z'))), '2026-02-28')
  },
)
