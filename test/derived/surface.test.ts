// The surface that routers and budgets are measured on is whole: every tool of a full installation, none of which does anything.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileCatalog, type Catalog } from '../../src/runtime/catalog.ts'
import type { Caller } from '../../src/runtime/context.ts'
import { invoke } from '../../src/runtime/invoke.ts'
import type { Field, Shape } from '../../src/runtime/schema/shape.ts'
import { servers } from '../../src/servers/index.ts'
import { memoryServer } from '../../src/servers/memory/index.ts'
import { foreignTools } from '../fixtures/surface/foreign-tools.ts'
import { surface, surfaceBeside } from '../fixtures/surface/index.ts'
import { foreignServer, mutableSource } from '../fixtures/surface/mutable-source.ts'

const timeout = 10_000
const SUMMARY_WORDS_MAX = 6

const owner: Caller = { id: 'owner', kind: 'local', scopes: 'all' }

const words = (text: string): string[] => text.trim().split(/\s+/)

/** What a full installation offers, written out: a tool that got lost would be missed by no computed list. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  memory: words(`
    store_memory search_memories recall_by_context deep_recall get_memory list_memories update_memory delete_memory
    memory_stats regenerate_embeddings dream get_context update_context_section add_context_section
    list_context_sections delete_context_section create_schedule list_schedules update_schedule check_notifications
    create_notification dismiss_notification dismiss_all_notifications notification_settings`),
  projects: words(`
    create_project list_projects update_project add_source search_sources get_source verify_source list_sources add_note
    search_notes generate_bibliography project_stats register_backend list_backends remove_backend backend_schema
    workspace_dir project_get project_capabilities list_members add_member remove_member audit_log`),
  blog: words(`
    create_post edit_post publish_post unpublish_post list_posts get_post delete_post share_post export_blog
    blog_settings blog_customize_theme blog_stats create_song transpose_song list_songs get_chord_diagram
    create_setlist add_to_setlist remove_from_setlist update_setlist list_setlists get_setlist delete_setlist`),
  sharing: words(`
    generate_invite accept_invite generate_short_invite accept_short_invite add_contact accept_bot_invite list_contacts
    find_contacts set_discoverable discover_relays add_relay share inbox send_message create_message_group
    list_message_groups send_group_message revoke_access sharing_status room_invite room_close voice_memo react
    list_instances register_instance update_instance revoke_instance list_sync_conflicts identity_attest identity_verify
    identity_revoke identity_list list_crosspost_transforms crosspost crosspost_cancel crosspost_mark_published
    list_crossposts`),
  storage: words(`
    upload_file list_files get_file_url delete_file storage_stats generate_background list_backgrounds set_background`),
  media: words(`
    media_add_source media_list_sources media_remove_source media_feed media_get_article media_search
    media_article_action media_refresh media_stats media_listen media_briefing media_playlist media_playlist_items
    media_smart_folders media_digest_preview media_digest_settings media_schedule_briefing`),
  consulting: words(`
    consulting_promote consulting_list_pending consulting_write_prospectus consulting_list_by_stage consulting_get
    consulting_stats`),
}
const COUNTS = { memory: 24, projects: 23, blog: 23, sharing: 37, storage: 8, media: 17, consulting: 6 }

const DESTROYING = words(`
  delete_memory delete_context_section remove_backend publish_post delete_post delete_setlist share revoke_access
  revoke_instance identity_attest identity_revoke crosspost delete_file media_remove_source media_playlist
  media_smart_folders`)

/** Named like the number of a row, and a text all the same. */
const TEXT_IDS = words('crow_id device_id instance_id source_post_id target_post_id tea_id')

const allTools = (catalog: Catalog) => catalog.servers.flatMap((server) => server.tools)
const publicNames = (catalog: Catalog) => allTools(catalog).map((tool) => tool.publicName)

test('the surface compiles, with every tool of every server and no other', { timeout }, () => {
  const catalog = compileCatalog(surface)
  const found = catalog.servers.map(({ id, tools }) => [id, tools.map((tool) => tool.name).toSorted()])
  assert.deepEqual(
    Object.fromEntries(found),
    Object.fromEntries(Object.entries(EXPECTED).map(([id, names]) => [id, names.toSorted()])),
  )
  assert.deepEqual(Object.fromEntries(catalog.servers.map(({ id, tools }) => [id, tools.length])), COUNTS)
  assert.deepEqual(
    catalog.servers.map(({ id, mount, prefix }) => ({ id, mount, prefix })),
    Object.keys(EXPECTED).map((id) => ({ id, mount: `/${id}`, prefix: 'crow_' })),
  )
})

test('no two tools of the surface share a name', { timeout }, () => {
  const names = publicNames(compileCatalog(surface))
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  )
})

test('every summary is short, and no other tool of its server has it', { timeout }, () => {
  for (const { id, summary, title, tools } of compileCatalog(surface).servers) {
    assert.ok(summary !== '' && title !== undefined, id)
    const summaries = tools.map((tool) => tool.declaration.summary)
    assert.deepEqual(
      summaries.filter((text, index) => words(text).length > SUMMARY_WORDS_MAX || summaries.indexOf(text) !== index),
      [],
    )
  }
})

test('memory is declared as it is served', { timeout }, () => {
  const [inert, real] = [compileCatalog(surface), compileCatalog([memoryServer])]
  assert.deepEqual(inert.listTools('memory', owner), real.listTools('memory', owner))
})

test('real servers take the place of their inert ones, and nothing gets lost', { timeout }, () => {
  const present = new Set(publicNames(compileCatalog([...servers, ...surfaceBeside(servers)])))
  assert.deepEqual(
    publicNames(compileCatalog(surface)).filter((name) => !present.has(name)),
    [],
  )
})

test('ids are numbers, apart from those that name something elsewhere', { timeout }, () => {
  const fields = allTools(compileCatalog(surface)).flatMap((tool) => tool.shape.fields)
  const texts = fields.filter((field) => /(^|_)id$/.test(field.name) && field.shape.kind === 'string')
  assert.deepEqual([...new Set(texts.map((field) => field.name))].toSorted(), TEXT_IDS)
})

test('what destroys asks first, and nothing else does', { timeout }, async () => {
  const catalog = compileCatalog(surface)
  const asking = allTools(catalog).filter((tool) => tool.effect === 'destroy')
  assert.deepEqual(asking.map((tool) => tool.name).toSorted(), DESTROYING.toSorted())
  for (const tool of asking) assert.match(await said(catalog, tool, 'few'), /^Would do /, tool.name)
})

test('every tool answers with what it was given, without a database', { timeout }, async () => {
  const catalog = compileCatalog(surface)
  for (const tool of allTools(catalog)) {
    for (const extent of ['few', 'all'] as const) {
      const first = await said(catalog, tool, extent)
      const token = /confirm_token "([^"]+)"/.exec(first)?.[1]
      const answer = token === undefined ? first : await said(catalog, tool, extent, { confirm_token: token })
      assert.ok(answer.startsWith(tool.name), answer)
      for (const name of Object.keys(inputOf(tool, extent))) assert.ok(answer.includes(`${name} `), answer)
    }
  }
})

test('a foreign source gains, loses and renames tools, and its list follows', { timeout }, async () => {
  const source = mutableSource()
  const catalog = compileCatalog([...surface, foreignServer(source)])
  const listed = () => catalog.listTools('github', owner).map((tool) => tool.name)
  const run = async (tool: string) =>
    (await invoke(catalog, { caller: owner, server: 'github', tool, params: {} })).kind
  assert.deepEqual(listed().toSorted(), foreignTools.map((tool) => tool.definition.name).toSorted())
  assert.equal(catalog.counts().external, foreignTools.length)

  const { epoch } = source
  const { revision } = catalog
  source.rename('get_me', 'whoAmI')
  source.remove('push-files')
  source.add({ effect: 'read', definition: { name: 'list.tags', description: '', inputSchema: { type: 'object' } } })
  assert.equal(source.epoch, epoch + 3)
  assert.notEqual(catalog.revision, revision)
  assert.ok(['whoAmI', 'list.tags'].every((name) => listed().includes(name)))
  assert.ok(!['get_me', 'push-files'].some((name) => listed().includes(name)))

  assert.deepEqual([await run('whoAmI'), await run('list.tags')], ['reply', 'reply'])
  assert.deepEqual([await run('get_me'), await run('whoami')], ['unknown-tool', 'unknown-tool'])
  assert.deepEqual(
    source.calls.map((call) => call.name),
    ['whoAmI', 'list.tags'],
  )
  assert.throws(() => source.add(foreignTools[0] ?? assert.fail('there are none')), RangeError)
  assert.throws(() => source.remove('get_me'), RangeError)
  assert.throws(() => source.rename('whoAmI', 'getIssue'), RangeError)
  assert.equal(source.epoch, epoch + 3)
})

type Listed = ReturnType<typeof allTools>[number]
type Extent = 'few' | 'all'

/** The text of the answer, which must not be a fault. */
async function said(catalog: Catalog, tool: Listed, extent: Extent, more: object = {}): Promise<string> {
  const params = { ...inputOf(tool, extent), ...more }
  const outcome = await invoke(catalog, { caller: owner, server: tool.server, tool: tool.publicName, params })
  assert.ok(outcome.kind === 'reply' && outcome.reply.isError !== true, JSON.stringify([params, outcome]))
  return outcome.reply.content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n')
}

/** Required parameters only, or all of them; of alternatives the first. */
function inputOf({ shape, oneOf = [] }: Pick<Listed, 'shape' | 'oneOf'>, extent: Extent): Record<string, unknown> {
  const wanted = (field: Field) =>
    oneOf.includes(field.name) ? field.name === oneOf[0] : field.required || extent === 'all'
  return Object.fromEntries(shape.fields.filter(wanted).map((field) => [field.name, valueOf(field.shape, extent)]))
}

function valueOf(shape: Shape, extent: Extent): unknown {
  switch (shape.kind) {
    case 'string':
      if (shape.format !== undefined) return '2026-01-31T12:00:00Z'
      return [`x`, '/x'].find((text) => shape.pattern?.test(text) !== false)?.padEnd(shape.min, 'x')
    case 'number':
      return Math.max(shape.min, 1)
    case 'choice':
      return shape.values[0]
    case 'array':
      return Array.from({ length: Math.max(shape.min, 1) }, () => valueOf(shape.items, extent))
    case 'object':
      return inputOf({ shape, oneOf: undefined }, extent)
    case 'union':
      return shape.options[0] && valueOf(shape.options[0], extent)
    case 'boolean':
      return true
    default:
      return {}
  }
}
