// What a tool writes into crow.md serves only after the owner has seen the difference and said yes.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { ElicitChannel } from '../../../../src/runtime/context.ts'
import { invoke } from '../../../../src/runtime/invoke.ts'
import type { Outcome } from '../../../../src/runtime/outcome.ts'
import { renderPrompt } from '../../../../src/runtime/prompt.ts'
import { approve, reject, waitingChange, waitingChanges } from '../../../../src/servers/memory/approval.ts'
import { PROPOSALS_MAX } from '../../../../src/servers/memory/queries/proposals.ts'
import { sectionDiff } from '../../../../src/servers/memory/render/section-diff.ts'
import { memoryRoom, owner, type Room } from './room.ts'

const timeout = 30_000

const open = (t: TestContext): Promise<Room> => memoryRoom(t, { contextWrites: 'approve' })

async function crowMd(room: Room, params: object = {}): Promise<string> {
  return (await room.call('get_context', { include_dynamic: false, ...params })).text
}

const ask = (room: Room, tool: string, params: object, elicit: ElicitChannel): Outcome | Promise<Outcome> =>
  invoke(room.catalog, { caller: { ...owner, client: 'Claude' }, server: 'memory', tool, params, elicit })

/** The question of a call, and its state. */
async function asked(room: Room, tool: string, params: object) {
  const outcome = await ask(room, tool, params, { supported: true })
  if (outcome.kind !== 'input-required') throw new Error(JSON.stringify(outcome))
  return { message: String(outcome.requests['approve']?.params['message']), state: outcome.state }
}

async function answer(room: Room, tool: string, params: object, state: string, given: unknown): Promise<string> {
  const elicit = { supported: true, state, responses: { approve: given } }
  const outcome = await ask(room, tool, params, elicit)
  if (outcome.kind !== 'reply') throw new Error(JSON.stringify(outcome))
  return JSON.stringify(outcome.reply)
}

const yes = { action: 'accept', content: { approve: true } }

test('a change waits: nothing that a model reads has it before it is approved', { timeout }, async (t) => {
  const room = await open(t)
  const before = await crowMd(room)
  const reply = await room.call('update_context_section', { section_key: 'session_protocol', content: 'zeppelin' })
  assert.equal(
    reply.text,
    'change session_protocol (global) waits for the owner; crow.md stays as it is until: crow context approve 1',
  )
  const prompt = { caller: owner, server: 'memory', args: {} }
  const texts = async () =>
    JSON.stringify([
      await crowMd(room),
      await renderPrompt(room.catalog, { ...prompt, name: 'session-start' }),
      await renderPrompt(room.catalog, { ...prompt, name: 'crow-guide' }),
    ])
  assert.doesNotMatch(await texts(), /zeppelin/)
  assert.equal(await crowMd(room), before)
  await approve(room.db, 1, room.clock)
  assert.equal((await texts()).match(/zeppelin/g)?.length, 3)
  assert.deepEqual(waitingChanges(room.db), [])
})

test('what is added waits as well, and so does what is deleted', { timeout }, async (t) => {
  const room = await open(t)
  const section = { section_key: 'travel', section_title: 'Travel', content: 'Trains.' }
  assert.match((await room.call('add_context_section', section)).text, /^add travel \(global\) waits .* approve 1$/)
  assert.doesNotMatch(await crowMd(room), /Trains/)
  assert.match((await room.call('list_context_sections')).text, /\nWaiting for the owner: 1 add travel \(global\)$/)
  await approve(room.db, 1, room.clock)
  assert.match(await crowMd(room), /## Travel\n\nTrains\./)
  assert.match((await room.confirm('delete_context_section', section)).text, /VALIDATION_ERROR/)
  const deleted = await room.confirm('delete_context_section', { section_key: 'travel' })
  assert.match(deleted.text, /^delete travel \(global\) waits .* approve 2$/)
  assert.match(await crowMd(room), /Trains/)
  await approve(room.db, 2, room.clock)
  assert.doesNotMatch(await crowMd(room), /Trains/)
})

test('what never served can be taken back without anybody', { timeout }, async (t) => {
  const room = await open(t)
  await room.call('add_context_section', { section_key: 'travel', section_title: 'Travel', content: 'Trains.' })
  assert.match((await room.confirm('delete_context_section', { section_key: 'travel' })).text, /^Deleted: /)
  assert.deepEqual(waitingChanges(room.db), [])
})

test('a change that is altered has a new number, so a yes is to what was shown', { timeout }, async (t) => {
  const room = await open(t)
  const write = (content: string) => room.call('update_context_section', { section_key: 'identity', content })
  await write('harmless')
  assert.match((await write('harmless')).text, /approve 1$/)
  assert.match((await write('harmful')).text, /approve 2$/)
  await assert.rejects(approve(room.db, 1, room.clock), { code: 'CHANGE_UNKNOWN' })
  assert.doesNotMatch(await crowMd(room), /harmful/)
  await reject(room.db, 2)
  await assert.rejects(reject(room.db, 2), { code: 'CHANGE_UNKNOWN' })
})

test('a further change builds on the one that waits; back to what serves, nothing waits', { timeout }, async (t) => {
  const room = await open(t)
  const served = waitingBase(await crowMd(room))
  await room.call('update_context_section', { section_key: 'identity', content: 'mine' })
  await room.call('update_context_section', { section_key: 'identity', section_title: 'Who' })
  const { proposal } = waitingChange(room.db, 2)
  assert.deepEqual([proposal.title, proposal.content], ['Who', 'mine'])
  const back = { section_key: 'identity', section_title: 'Identity', content: served }
  assert.match((await room.call('update_context_section', back)).text, /^Unchanged: section identity/)
  assert.deepEqual(waitingChanges(room.db), [])
})

/** The text of the first section. */
const waitingBase = (text: string): string => /## Identity\n\n([\s\S]*?)\n\n## /.exec(text)?.[1] ?? ''

test('a section that has become another one is not overwritten by an old change', { timeout }, async (t) => {
  const room = await open(t)
  await room.call('update_context_section', { section_key: 'identity', content: 'old wish' })
  const free = await memoryRoom(t, { dataDir: room.db.path.slice(0, -'/crow.db'.length) })
  await free.call('update_context_section', { section_key: 'identity', content: 'newer text' })
  assert.equal(waitingChange(room.db, 1).stale, true)
  await assert.rejects(approve(room.db, 1, room.clock), { code: 'CHANGE_STALE' })
  assert.match(await crowMd(room), /newer text/)
})

test('a client that can ask shows the person the whole difference in the same call', { timeout }, async (t) => {
  const room = await open(t)
  const params = { section_key: 'writing_style', content: 'Short.\u200b' }
  const { message, state } = await asked(room, 'update_context_section', params)
  assert.match(message, /^An AI client \(Claude\) wants to change crow\.md.*: change writing_style \(global\)\.\n\n/)
  assert.match(message, /\n- Plain words.*\n- Write in the language.*\n\+ Short\.\\u\{200b\}$/)
  assert.doesNotMatch(await crowMd(room), /Short\./)
  assert.match(await answer(room, 'update_context_section', params, state, yes), /Approved: change writing_style/)
  assert.match(await crowMd(room), /Short\./)
  // The same answer again is for something that does not wait any more.
  assert.match(await answer(room, 'update_context_section', params, state, yes), /CONFLICT/)
})

test('no ends the change, and an answer that does not come leaves it waiting', { timeout }, async (t) => {
  const room = await open(t)
  const params = { section_key: 'travel', section_title: 'Travel', content: 'Trains.' }
  for (const no of [{ action: 'decline' }, { action: 'accept', content: { approve: false } }]) {
    const { state } = await asked(room, 'add_context_section', params)
    assert.match(await answer(room, 'add_context_section', params, state, no), /CANCELLED/)
    assert.deepEqual(waitingChanges(room.db), [])
  }
  const { state } = await asked(room, 'add_context_section', params)
  assert.match(await answer(room, 'add_context_section', params, state, { action: 'cancel' }), /waits for the owner/)
  assert.equal(waitingChanges(room.db).length, 1)
})

test('an answer is for the change it was asked about, whatever the call says now', { timeout }, async (t) => {
  const room = await open(t)
  const params = { section_key: 'identity', content: 'shown' }
  const { state } = await asked(room, 'update_context_section', params)
  const other = { section_key: 'identity', content: 'not shown' }
  await answer(room, 'update_context_section', other, state, yes)
  const text = await crowMd(room)
  assert.match(text, /shown/)
  assert.doesNotMatch(text, /not shown/)
})

test('what is too long to be read in a window of a client is left to the command line', { timeout }, async (t) => {
  const room = await open(t)
  const params = { section_key: 'identity', content: 'line\n'.repeat(2000) }
  const outcome = await ask(room, 'update_context_section', params, { supported: true })
  assert.match(JSON.stringify(outcome), /crow context approve 1/)
})

test('a deletion that the person confirmed in their client needs no second yes', { timeout }, async (t) => {
  const room = await memoryRoom(t, { contextWrites: 'approve', confirm: 'elicit' })
  await room.call('add_context_section', { section_key: 'travel', section_title: 'Travel', content: 'Trains.' })
  await approve(room.db, 1, room.clock)
  const params = { section_key: 'travel' }
  const first = await ask(room, 'delete_context_section', params, { supported: true })
  if (first.kind !== 'input-required') throw new Error(JSON.stringify(first))
  const responses = { confirm: { action: 'accept', content: { confirm: true } } }
  const second = await ask(room, 'delete_context_section', params, { supported: true, state: first.state, responses })
  assert.match(JSON.stringify(second), /Deleted: section travel/)
})

test(
  'an answer to no question is nobody’s yes: what the model confirmed with its token still waits',
  { timeout },
  async (t) => {
    const room = await memoryRoom(t, { contextWrites: 'approve', confirm: 'elicit' })
    await room.call('add_context_section', { section_key: 'travel', section_title: 'Travel', content: 'Trains.' })
    await approve(room.db, 1, room.clock)
    const params = { section_key: 'travel' }
    const offered = await room.call('delete_context_section', params)
    const [, token] = /confirm_token "([^"]+)"/.exec(offered.text) ?? []
    const responses = { confirm: { action: 'accept', content: { confirm: true } } }
    for (const state of [undefined, 'x']) {
      const forged = { supported: true, responses, ...(state !== undefined && { state }) }
      const outcome = await ask(room, 'delete_context_section', { ...params, confirm_token: token }, forged)
      assert.doesNotMatch(JSON.stringify(outcome), /Deleted/)
    }
    assert.deepEqual(
      waitingChanges(room.db).map(({ proposal }) => proposal.action),
      ['delete'],
    )
  },
)

test('only so many changes wait', { timeout: 60_000 }, async (t) => {
  const room = await open(t)
  const add = (index: number) =>
    room.call('add_context_section', { section_key: `own_${index}`, section_title: 'x', content: 'x' })
  for (let index = 0; index < PROPOSALS_MAX; index++) await add(index)
  assert.match((await add(PROPOSALS_MAX)).text, /CONFLICT[\s\S]*crow context pending/)
})

test('the difference has every line that changes, its neighbours, and what else changes', { timeout }, async (t) => {
  const room = await open(t)
  const content = Array.from({ length: 9 }, (_, line) => `line ${line}`)
  const section = { section_key: 'travel', section_title: 'Travel' }
  await room.call('add_context_section', { ...section, content: content.join('\n') })
  await approve(room.db, 1, room.clock)
  content[4] = 'another'
  content.push('more')
  await room.call('update_context_section', {
    ...section,
    section_title: 'Ways',
    enabled: false,
    content: content.join('\n'),
  })
  const { proposal, section: before } = waitingChange(room.db, 2)
  assert.deepEqual(sectionDiff(before, proposal).split('\n'), [
    '- heading: Travel',
    '+ heading: Ways',
    '- on: yes',
    '+ on: no',
    '  …',
    '  line 2',
    '  line 3',
    '- line 4',
    '+ another',
    '  line 5',
    '  line 6',
    '  line 7',
    '  line 8',
    '+ more',
  ])
})
