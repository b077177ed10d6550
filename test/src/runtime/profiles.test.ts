// What the router lists under a profile: every tool by its own name, whichever fits a budget, some beside the categories; never
// more than the caller may use, and never moved by what is called.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileCatalog } from '../../../src/runtime/catalog.ts'
import { everyone } from '../../../src/runtime/compile-server.ts'
import type { Caller } from '../../../src/runtime/context.ts'
import { invoke } from '../../../src/runtime/invoke.ts'
import { BUILT_IN, clientKeyOf, profileOf, withProfile, type Profile } from '../../../src/runtime/profiles/profile.ts'
import { directTokens } from '../../../src/runtime/router/shown.ts'
import { createToolIndex } from '../../../src/search/tool-index.ts'
import { surface } from '../../fixtures/surface/index.ts'
import { foreignServer, mutableSource } from '../../fixtures/surface/mutable-source.ts'

const timeout = 20_000

const scoped = (...scopes: string[]): Caller => ({ id: 'scoped', kind: 'oauth', scopes: new Set(scopes) })

function routed(profiles: Readonly<Record<string, Profile>> = {}, source = mutableSource()) {
  const ends: string[] = []
  const known = new Map([...BUILT_IN, ...Object.entries(profiles)])
  const none = profileOf('router')
  const catalog = compileCatalog([...surface, foreignServer(source)], {
    availableNeeds: ['blobs'],
    confirm: 'off',
    router: { makeIndex: createToolIndex, profileOf: ({ profile = '' }) => known.get(profile) ?? none },
    observers: [{ id: 'ends', onEnd: ({ server, tool, outcome }) => void ends.push(`${server} ${tool} ${outcome}`) }],
  })
  const parts = catalog.servers.filter(({ derived }) => !derived)
  const router = catalog.server('router')
  assert.ok(router)
  const names = (profile: string, caller = everyone) =>
    router.listTools(withProfile(caller, profile)).map(({ name }) => name)
  const json = (profile: string, caller = everyone) => router.toolsListJson(withProfile(caller, profile))
  const call = async (tool: string, params: unknown, caller = everyone) =>
    await invoke(catalog, { caller, server: 'router', tool, params })
  return { catalog, router, parts, source, ends, names, json, call }
}

test('direct is the lists of all servers, one after the other, for what each caller may use', { timeout }, () => {
  const { catalog, parts, names, json } = routed()
  for (const caller of [everyone, scoped('blog:read'), scoped('memory', 'storage:read')]) {
    const lists = parts.flatMap((server) => catalog.listTools(server.id, caller))
    assert.deepEqual(JSON.parse(json('direct', caller)), lists)
    assert.ok(lists.length > 0)
  }
  assert.deepEqual(names('direct', scoped()), [])
  assert.equal(json('router'), JSON.stringify(catalog.listTools('router', everyone)))
})

test('every tool that is listed by its own name runs by it, with one row', { timeout }, async () => {
  const { router, ends, call, parts } = routed()
  for (const { name } of router.listTools(withProfile(everyone, 'direct'))) {
    ends.length = 0
    await call(name, {}, withProfile(everyone, 'direct'))
    assert.equal(ends.length, 1, name)
    const owner = parts.find((server) => server.usable(everyone).some((tool) => tool.publicName === name))
    assert.ok(ends[0]?.startsWith(`${owner?.id} `), `${name}: ${ends[0]}`)
  }
})

test('auto is direct up to its budget, to the token, and the router beyond it', { timeout }, () => {
  const reader = scoped('blog:read')
  const { parts } = routed()
  for (const caller of [everyone, reader]) {
    const tokens = directTokens(parts, caller)
    const { names } = routed({
      fits: profileOf('auto', { budgetTokens: tokens }),
      over: profileOf('auto', { budgetTokens: tokens - 1, pins: ['crow_get_post'] }),
    })
    assert.deepEqual(names('fits', caller), names('direct', caller))
    assert.deepEqual(names('over', caller), [...names('router', caller), 'crow_get_post'])
  }
  // The budget is that of each caller: what is too long for the owner may fit whoever may use less.
  const { router } = routed({ auto: profileOf('auto', { budgetTokens: directTokens(parts, reader) }) })
  const isDirect = (caller: Caller) => router.profiled?.isDirect(withProfile(caller, 'auto'))
  assert.deepEqual([isDirect(reader), isDirect(everyone)], [true, false])
})

test('pins stand last, in the order of the catalog, and their category does not repeat them', { timeout }, async () => {
  const pins = ['crow_get_post', 'crow_store_memory', 'getIssue', 'crow_no_such_tool']
  const { router, ends, names, json, call, source } = routed({
    work: profileOf('router', { pins }),
    same: profileOf('router', { pins: pins.toReversed() }),
  })
  assert.deepEqual(names('work'), [...names('router'), 'crow_store_memory', 'crow_get_post', 'getIssue'])
  assert.equal(json('same'), json('work'))
  const described = (profile: string, name: string) =>
    router.listTools(withProfile(everyone, profile)).find((tool) => tool.name === name)?.description ?? ''
  assert.match(described('router', 'crow_memory'), /^store_memory /m)
  assert.doesNotMatch(described('work', 'crow_memory'), /^store_memory /m)
  assert.match(described('work', 'crow_memory'), /^search_memories /m)
  assert.equal(described('work', 'crow_projects'), described('router', 'crow_projects'))
  // Both ways lead to it, so that a client which knows the other one goes on.
  const content = { content: 'x' }
  await call('crow_store_memory', content)
  await call('crow_memory', { action: 'store_memory', params: content })
  assert.deepEqual(
    ends,
    Array.from({ length: 2 }, () => 'memory store_memory ok'),
  )
  source.remove('getIssue')
  assert.ok(!names('work').includes('getIssue'))
  assert.match(described('work', 'crow_tools'), /^needed/)
})

test('a pin shows nobody what their scopes do not cover', { timeout }, () => {
  const { names } = routed({ work: profileOf('router', { pins: ['crow_store_memory', 'crow_search_memories'] }) })
  const shown = (...scopes: string[]) => names('work', scoped(...scopes)).filter((name) => /_memor(y|ies)$/.test(name))
  assert.deepEqual(shown('memory'), ['crow_memory', 'crow_search_memories', 'crow_store_memory'])
  assert.deepEqual(shown('memory:read'), ['crow_memory', 'crow_search_memories'])
  assert.deepEqual(shown('blog'), [])
  assert.deepEqual(names('work', scoped()), [])
})

test(
  'a category is left out where everything in it is pinned, and what is foreign is not called missing',
  { timeout },
  () => {
    const { names, router } = routed({ all: profileOf('router', { pins: mutableSource().names }) })
    assert.ok(!names('all').includes('crow_tools'))
    assert.deepEqual(
      names('all').slice(-mutableSource().names.length).toSorted(),
      [...mutableSource().names].toSorted(),
    )
    const { parts } = router
    const storage = parts.find(({ id }) => id === 'storage')?.tools.map(({ publicName }) => publicName) ?? []
    const stored = routed({ all: profileOf('router', { pins: storage }) })
    assert.ok(!stored.names('all').includes('crow_storage'))
  },
)

test(
  'a foreign tool that is called like a category, or like a tool of ours, is not listed as if it ran',
  { timeout },
  async () => {
    const source = mutableSource()
    const [first = '', second = ''] = source.names
    source.rename(first, 'crow_memory')
    source.rename(second, 'crow_store_memory')
    const { names, call, router } = routed(
      { pinned: profileOf('router', { pins: ['crow_memory', 'crow_store_memory'] }) },
      source,
    )
    assert.ok(!names('direct').includes('crow_memory'))
    for (const profile of ['direct', 'pinned']) {
      const same = router.listTools(withProfile(everyone, profile)).filter(({ name }) => name === 'crow_store_memory')
      assert.equal(same.length, 1, profile)
      assert.match(same[0]?.description ?? '', /^Remember one fact/)
    }
    assert.equal(names('pinned').filter((name) => name === 'crow_memory').length, 1)
    await call('crow_store_memory', { content: 'x' })
    assert.deepEqual(source.calls, [])
  },
)

test('no sequence of calls moves a list by a byte', { timeout: 60_000 }, async () => {
  const profiles = {
    work: profileOf('router', { pins: ['crow_store_memory', 'crow_get_memory'] }),
    small: profileOf('auto', { budgetTokens: 1 }),
    large: profileOf('auto', { budgetTokens: 1_000_000 }),
  }
  const here = routed(profiles)
  const { call, router } = here
  const callers = [everyone, scoped('memory:read'), scoped('blog', 'memory')]
  const names = ['router', 'direct', 'auto', ...Object.keys(profiles)]
  const listsOf = (made: ReturnType<typeof routed>) =>
    names.flatMap((profile) => callers.map((caller) => made.json(profile, caller)))
  const before = listsOf(here)
  const tools = [...router.listTools(withProfile(everyone, 'direct')), ...router.listTools(everyone)].map(
    ({ name }) => name,
  )
  const step = fc.record({
    tool: fc.constantFrom(...tools, 'crow_discover', 'nothing'),
    params: fc.oneof(
      fc.constant({}),
      fc.record({ action: fc.constantFrom('store_memory', 'list_posts', 'x'), params: fc.constant({}) }),
      fc.record({ query: fc.string() }),
    ),
    caller: fc.constantFrom(...callers),
    profile: fc.constantFrom(...names),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      for (const { tool, params, caller, profile } of steps) await call(tool, params, withProfile(caller, profile))
      assert.deepEqual(listsOf(here), before)
    }),
    { numRuns: 40 },
  )
  // And another process makes the same bytes.
  assert.deepEqual(listsOf(routed(profiles)), before)
})

test('a list is made once for a profile and an access, and the same one is given again', { timeout }, () => {
  const { router } = routed()
  for (const profile of ['direct', 'router', 'auto'])
    assert.equal(
      router.listTools(withProfile(scoped('memory'), profile)),
      router.listTools(withProfile(scoped('memory'), profile)),
      profile,
    )
})

test('a client is known by what outlives its tokens', { timeout }, () => {
  assert.equal(clientKeyOf({ kind: 'oauth', client: 'Claude', clientId: 'abc' }), 'oauth:abc')
  assert.equal(clientKeyOf({ kind: 'local', client: 'laptop' }), 'token:laptop')
  assert.equal(clientKeyOf({ kind: 'stdio' }), 'stdio')
  assert.equal(clientKeyOf({ kind: 'peer', client: 'x', clientId: 'y' }), undefined)
  assert.equal(clientKeyOf(everyone), undefined)
  const caller = scoped('memory')
  const direct = withProfile(caller, 'direct')
  assert.deepEqual({ ...direct }, { ...caller, profile: 'direct' })
  assert.equal(withProfile(caller, 'direct'), direct)
  assert.equal(withProfile(direct, 'direct'), direct)
  assert.equal(withProfile(direct, 'auto').profile, 'auto')
  assert.deepEqual({ ...withProfile(direct, undefined) }, { ...caller })
})
