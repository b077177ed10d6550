// The router as a program calls it: which tool a call means, who may call it, and what is told to those who may not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileCatalog, type CatalogOptions } from '../../../src/runtime/catalog.ts'
import { everyone } from '../../../src/runtime/compile-server.ts'
import type { Caller } from '../../../src/runtime/context.ts'
import { invoke } from '../../../src/runtime/invoke.ts'
import type { PipelineObserver } from '../../../src/runtime/observe.ts'
import { createToolIndex } from '../../../src/search/tool-index.ts'
import { surface } from '../../fixtures/surface/index.ts'
import { foreignServer, mutableSource } from '../../fixtures/surface/mutable-source.ts'

const timeout = 10_000
const router = { makeIndex: createToolIndex }

const routed = (options: CatalogOptions = {}, source = mutableSource()) => {
  const catalog = compileCatalog([...surface, foreignServer(source)], {
    availableNeeds: ['blobs'],
    confirm: 'off',
    router,
    ...options,
  })
  const ask = async (tool: string, params: unknown, caller: Caller = everyone): Promise<string> => {
    const outcome = await invoke(catalog, { caller, server: 'router', tool, params })
    if (outcome.kind !== 'reply') return outcome.kind
    const [block] = outcome.reply.content
    return block?.type === 'text' ? block.text : ''
  }
  return { catalog, ask, source }
}

const scoped = (...scopes: string[]): Caller => ({ id: 'scoped', kind: 'oauth', scopes: new Set(scopes) })

test('one tool for each server that is there, one for what is foreign, one to discover', { timeout }, () => {
  const { catalog } = routed()
  assert.deepEqual(
    catalog.listTools('router', everyone).map(({ name }) => name),
    [...surface.map(({ id }) => `crow_${id}`), 'crow_tools', 'crow_discover'],
  )
  assert.equal(catalog.counts().routerMode, surface.length + 2)
})

test('what is not configured is not routed', { timeout }, () => {
  const needy = surface.map((server) => (server.id === 'storage' ? { ...server, needs: ['blobs'] } : server))
  const catalog = compileCatalog(needy, { router })
  assert.ok(!catalog.listTools('router', everyone).some(({ name }) => name === 'crow_storage'))
})

test('an action goes by every name that can only mean it', { timeout }, async () => {
  const { ask } = routed()
  const params = { id: 7 }
  const answer = await ask('crow_media', { action: 'get_article', params })
  for (const action of ['media_get_article', 'crow_media_get_article', 'Get-Article', 'GET_ARTICLE', ' get_article '])
    assert.equal(await ask('crow_media', { action, params }), answer, action)
  assert.equal(
    await ask('crow_research', { action: 'list_projects' }),
    await ask('crow_projects', { action: 'list-projects' }),
  )
})

test('foreign names are matched as they are written, and nothing is forgiven', { timeout }, async () => {
  const { ask, source } = routed()
  for (const name of source.names)
    assert.match(
      await ask('crow_tools', { action: name, params: {} }),
      new RegExp(`^${name.replaceAll('.', String.raw`\.`)} `),
    )
  const before = source.calls.length
  assert.match(await ask('crow_tools', { action: 'GETISSUE', params: {} }), /UNKNOWN_ACTION/)
  assert.equal(source.calls.length, before)
})

test('parameters are understood inside, beside and as text', { timeout }, async () => {
  const { ask } = routed()
  const answer = await ask('crow_blog', { action: 'get_post', params: { slug: 'x' } })
  assert.doesNotMatch(answer, /tool_error/)
  assert.equal(await ask('crow_blog', { action: 'get_post', slug: 'x' }), answer)
  assert.equal(await ask('crow_blog', { action: 'get_post', params: '{"slug":"x"}' }), answer)
  assert.equal(
    await ask('crow_blog', { action: 'list_posts', params: '' }),
    await ask('crow_blog', { action: 'list_posts' }),
  )
  assert.match(await ask('crow_blog', { action: 'get_post', params: { slug: 'x' }, slug: 'y' }), /given twice/)
  assert.match(await ask('crow_blog', { action: 'get_post', params: 'slug x' }), /params: must be an object/)
  assert.match(await ask('crow_blog', { action: 'get_post', params: [1] }), /params: must be an object/)
  assert.match(await ask('crow_blog', 'get_post'), /must be an object with action and params/)
  assert.match(await ask('crow_blog', {}), /MISSING_DISCRIMINATOR/)
  assert.match(await ask('crow_blog', { action: 7 }), /INVALID_DISCRIMINATOR/)
})

test(
  'parameters that no object can be read from execute nothing, and the reply shows the object',
  { timeout },
  async () => {
    const source = mutableSource()
    const { ask } = routed({}, source)
    const none = await ask('crow_memory', { action: 'store_memory' })
    for (const params of ['{}', '', ' ', null, 'null', {}])
      assert.equal(await ask('crow_memory', { action: 'store_memory', params }), none, JSON.stringify(params))
    const given = { content: 'x', tags: ['a'] }
    const stored = await ask('crow_memory', { action: 'store_memory', params: given })
    assert.match(stored, /^store_memory: /)
    assert.equal(await ask('crow_memory', { action: 'store_memory', params: JSON.stringify(given) }), stored)
    for (const params of ['not json', '[1]', '7', '"x"', [1], 7, true]) {
      const refused = await ask('crow_memory', { action: 'store_memory', params })
      assert.match(refused, /VALIDATION_ERROR.*params: must be an object/, JSON.stringify(params))
      assert.match(refused, /\n\{"tool":"crow_memory","action":"store_memory","params":\{"content":"<string>"\}\}$/)
      const [name = ''] = source.names
      assert.match(await ask('crow_tools', { action: name, params }), /params: must be an object/)
    }
    assert.deepEqual(source.calls, [])
  },
)

test('a caller sees, finds and is told of nothing beyond their scopes', { timeout }, async () => {
  const { catalog, ask } = routed()
  const reader = scoped('blog:read')
  const names = catalog.listTools('router', reader).map(({ name }) => name)
  assert.deepEqual(names, ['crow_blog', 'crow_tools', 'crow_discover'])
  const [blog] = catalog.listTools('router', reader)
  assert.match(blog?.description ?? '', /get_post/)
  assert.doesNotMatch(blog?.description ?? '', /create_post|delete_post/)
  const replies = [
    await ask('crow_blog', { action: 'creat_post', params: {} }, reader),
    await ask('crow_blog', { action: 'store_memory', params: {} }, reader),
    await ask('crow_memory', { action: 'stor_memory', params: {} }, reader),
    await ask('crow_discover', {}, reader),
    await ask('crow_discover', { category: 'blog' }, reader),
    await ask('crow_discover', { query: 'write a new post' }, reader),
    await ask('crow_discover', { query: 'remember something' }, reader),
    await ask('crow_discover', { action: 'create_post' }, reader),
    await ask('crow_discover', { category: 'memory', action: 'store_memory' }, reader),
  ]
  // "store_memory" and "create_post" stand where the caller wrote them, never as something to try.
  for (const text of replies)
    assert.doesNotMatch(text, /"action":"(create_post|store_memory|delete_post)"|search_memories|edit_post/)
  assert.match(
    await ask('crow_blog', { action: 'create_post', params: { title: 'x', content: 'y' } }, reader),
    /FORBIDDEN/,
  )
})

test('whoever may use nothing has no list and no discovery', { timeout }, async () => {
  const { catalog, ask } = routed()
  for (const caller of [scoped(), scoped('nothing'), { id: 'peer', kind: 'peer', scopes: 'all' } as const]) {
    assert.deepEqual(catalog.listTools('router', caller), [])
    assert.match(await ask('crow_discover', {}, caller), /FORBIDDEN/)
  }
})

test(
  'a confirmation is given by repeating the call that was made, inside params or beside them',
  { timeout },
  async () => {
    const { ask } = routed({ confirm: 'token' })
    const call = { action: 'delete_post', params: { id: 7 } }
    for (const confirmed of [
      (token: string) => ({ ...call, params: { ...call.params, confirm_token: token } }),
      (token: string) => ({ ...call, confirm_token: token }),
    ]) {
      const asked = await ask('crow_blog', call)
      assert.doesNotMatch(asked, /crow_delete_post/)
      const [, token = ''] = /repeat this call within 60 seconds with confirm_token "([^"]+)"/.exec(asked) ?? []
      assert.match(await ask('crow_blog', confirmed(token)), /^delete_post: id 7/)
    }
  },
)

test('a routed call is recorded once, as the inner tool', { timeout }, async () => {
  const ended: string[] = []
  const observer: PipelineObserver = { id: 'test', onEnd: ({ server, tool }) => void ended.push(`${server} ${tool}`) }
  const { ask } = routed({ observers: [observer] })
  await ask('crow_projects', { action: 'list_projects' })
  assert.deepEqual(ended, ['projects list_projects'])
})

test('the list follows a source that changes, and only then', { timeout }, () => {
  const { catalog, source } = routed()
  const first = catalog.listTools('router', everyone)
  assert.equal(catalog.listTools('router', everyone), first)
  const { revision } = catalog
  source.rename('create_issue', 'openIssue')
  const second = catalog.listTools('router', everyone)
  assert.match(second.find(({ name }) => name === 'crow_tools')?.description ?? '', /openIssue/)
  assert.notEqual(catalog.revision, revision)
})

test('instances are none, and integrations none until one is connected', { timeout }, async () => {
  const { ask } = routed()
  assert.equal(await ask('crow_discover', { category: 'instances' }), 'No instances are connected.')
  assert.match(await ask('crow_tools', { action: 'x', instance_id: 'home' }), /No instances are connected/)
  const bare = compileCatalog(surface, { router })
  const outcome = await invoke(bare, {
    caller: everyone,
    server: 'router',
    tool: 'crow_tools',
    params: { action: 'x' },
  })
  assert.match(JSON.stringify(outcome), /No integrations are connected/)
})

test('what a client fills in without meaning it is no instance, no category and no question', { timeout }, async () => {
  const source = mutableSource('elsewhere', [
    { effect: 'read', definition: { name: 'note', description: '', inputSchema: { type: 'object' } } },
  ])
  const { ask } = routed({}, source)
  for (const instance of [null, '', undefined])
    await ask('crow_tools', { action: 'note', params: { q: 'a' }, instance_id: instance })
  await ask('crow_tools', { action: 'note', params: { q: 'a', instance_id: '' } })
  assert.deepEqual(
    source.calls.map(({ params }) => params),
    [{ q: 'a' }, { q: 'a' }, { q: 'a' }, { q: 'a', instance_id: '' }],
  )
  const overview = await ask('crow_discover', {})
  assert.equal(await ask('crow_discover', { category: '', action: ' ', query: '' }), overview)
  assert.match(await ask('crow_discover', { category: '', action: '', query: 'remember' }), /store_memory/)
})

test('discovery goes from categories to actions to one whole schema', { timeout }, async () => {
  const { ask } = routed()
  assert.match(await ask('crow_discover', {}), /^memory 24 - /m)
  assert.match(await ask('crow_discover', { category: 'research' }), /^crow_projects: /)
  assert.match(await ask('crow_discover', { category: 'crow_memory' }), /store_memory content \[.*importance:1-10/)
  const schema: unknown = JSON.parse(await ask('crow_discover', { category: 'memory', action: 'crow_store_memory' }))
  assert.ok(JSON.stringify(schema).includes('"maxLength"'))
  assert.match(await ask('crow_discover', { category: 'memry' }), /Did you mean memory/)
  assert.match(await ask('crow_discover', { action: 'stor_memory' }), /Did you mean store_memory/)
  const hits = (await ask('crow_discover', { query: 'remember this for later' })).split('\n')
  assert.ok(hits.length <= 5 && hits.some((line) => line.startsWith('crow_memory store_memory ')), hits.join('\n'))
})

test('a call without an action is taught the one that takes what it gave', { timeout }, async () => {
  const { ask } = routed()
  for (const [given, action] of [
    [{ content: 'x' }, 'store_memory'],
    [{ params: { query: 'x' } }, 'search_memories'],
    [{ id: 3, importance: 7 }, 'update_memory'],
  ] as const)
    assert.match(await ask('crow_memory', given), new RegExp(`"action":"${action}"`), JSON.stringify(given))
  // With nothing to go by, one that changes nothing and needs nothing.
  const last = (await ask('crow_memory', {})).split('\n').at(-1) ?? ''
  const { action, params } = JSON.parse(last)
  assert.equal(params, undefined)
  assert.doesNotMatch(await ask('crow_memory', { action }), /tool_error/)
})
