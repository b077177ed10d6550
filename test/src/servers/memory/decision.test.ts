// What the owner decided about crow.md leaves the same row whoever they said it through.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { loadConfig } from '../../../../src/config.ts'
import { openGateway } from '../../../../src/gateway.ts'
import type { Caller, ElicitChannel } from '../../../../src/runtime/context.ts'
import { invoke } from '../../../../src/runtime/invoke.ts'
import { decideChange } from '../../../../src/servers/memory/decision.ts'
import { temporaryFolder } from '../../db/temporary.ts'

const timeout = 30_000
const caller: Caller = { id: 'local:1', kind: 'local', scopes: 'all', client: 'Claude' }

const change = (content: string) => ({ section_key: 'identity', content })

async function open(t: TestContext) {
  const gateway = await openGateway(loadConfig({}, { dataDir: temporaryFolder(t) }), { longLived: false })
  t.after(() => gateway.close())
  const ask = async (tool: string, params: object, elicit?: ElicitChannel) =>
    await invoke(gateway.catalog, { caller, server: 'memory', tool, params, ...(elicit && { elicit }) })
  /** Calls with a client that can ask, and answers its question. @returns the text of the end */
  const answered = async (tool: string, params: object, name: string, content: object | undefined): Promise<string> => {
    const asked = await ask(tool, params, { supported: true })
    assert.ok(asked.kind === 'input-required', JSON.stringify(asked))
    const answer = content === undefined ? { action: 'decline' } : { action: 'accept', content }
    const end = await ask(tool, params, { supported: true, state: asked.state, responses: { [name]: answer } })
    return JSON.stringify(end)
  }
  const decided = async () => {
    await gateway.audit.flush()
    return gateway.database.sqlite
      .prepare(`SELECT tool, outcome, caller, caller_kind, client, subject FROM audit WHERE tool LIKE 'context_%'`)
      .raw()
      .all()
  }
  return { gateway, ask, answered, decided }
}

test('a yes and a no in the client are written down as at a terminal', { timeout }, async (t) => {
  const { gateway, answered, decided } = await open(t)
  assert.match(await answered('update_context_section', change('one'), 'approve', { approve: true }), /Approved/)
  assert.match(await answered('update_context_section', change('two'), 'approve', undefined), /CANCELLED/)
  assert.deepEqual(await decided(), [
    ['context_approve', 'ok', 'local:1', 'local', 'Claude', 'change:1'],
    ['context_reject', 'ok', 'local:1', 'local', 'Claude', 'change:2'],
  ])
  const { audit, clock, database: db } = gateway
  const facts = { db, clock, audit, by: { caller: 'cli', callerKind: 'cli' } as const }
  await assert.rejects(decideChange(facts, 2, 'approve'), { code: 'CHANGE_UNKNOWN' })
  assert.deepEqual((await decided()).at(-1), ['context_approve', 'CHANGE_UNKNOWN', 'cli', 'cli', null, 'change:2'])
})

test('a yes to what has changed meanwhile is written down with its reason', { timeout }, async (t) => {
  const { ask, gateway, decided } = await open(t)
  const params = { section_key: 'identity', content: 'one' }
  const asked = await ask('update_context_section', params, { supported: true })
  assert.ok(asked.kind === 'input-required')
  gateway.database.sqlite.exec(`UPDATE context_sections SET version = version + 1 WHERE section_key = 'identity'`)
  const responses = { approve: { action: 'accept', content: { approve: true } } }
  await ask('update_context_section', params, { supported: true, state: asked.state, responses })
  assert.deepEqual(await decided(), [['context_approve', 'CHANGE_STALE', 'local:1', 'local', 'Claude', 'change:1']])
})

test(
  'a deletion that the person says yes to is one as well; one that only a model confirms is none',
  { timeout },
  async (t) => {
    const { gateway, ask, answered, decided } = await open(t)
    const { audit, clock, database: db } = gateway
    for (const section_key of ['travel', 'food']) {
      await ask('add_context_section', { section_key, section_title: 'T', content: 'x' })
      await decideChange({ db, clock, by: {} }, section_key === 'travel' ? 1 : 2, 'approve')
    }
    assert.match(
      await answered('delete_context_section', { section_key: 'travel' }, 'confirm', { confirm: true }),
      /Deleted/,
    )
    const rows = await decided()
    assert.equal(rows.length, 1)
    assert.match(JSON.stringify(rows), /^\[\["context_approve","ok","local:1","local","Claude","section:\d+"\]\]$/)
    const asked = JSON.stringify(await ask('delete_context_section', { section_key: 'food' }))
    const confirm_token = /confirm_token \W+([\w.-]+)/.exec(asked)?.[1] ?? assert.fail(asked)
    const end = JSON.stringify(await ask('delete_context_section', { section_key: 'food', confirm_token }))
    assert.match(end, /waits for the owner/)
    await audit.flush()
    assert.equal((await decided()).length, 1)
  },
)
