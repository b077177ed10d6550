// Who may use which external server: by scopes of all, of one, and of reading; on the direct mount and through the router alike.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asker, ERAS, externalApp, namesOf, resultOf, ROUTER, TOOLS } from '../../fixtures/external/app.ts'
import { tool } from '../../fixtures/external/source.ts'
import { at, type Received } from '../../fixtures/rpc.ts'

const TIMEOUT = { timeout: 60_000 }

const GITHUB = ['github_push', 'github_search']
const FILES_READ = ['files_list', 'files_view']
const FILES = [
  'files_ask',
  'files_fail',
  'files_list',
  'files_odd',
  'files_sample',
  'files_talk',
  'files_view',
  'files_wait',
]

/** What is listed with these scopes. */
const MATRIX: readonly (readonly [scopes: readonly string[], tools: readonly string[], resources: number])[] = [
  [['tools'], [...FILES, ...GITHUB], 2],
  [['tools:read'], [...FILES_READ, 'github_search'], 2],
  [['tools:github'], GITHUB, 1],
  [['tools:github:read'], ['github_search'], 1],
  [['tools:github', 'tools:files:read'], [...FILES_READ, ...GITHUB], 2],
  [['tools:read', 'tools:github'], [...FILES_READ, ...GITHUB], 2],
  [['tools:gone', 'tools:files:read'], FILES_READ, 1],
]

const scopeIn = (answer: Received): unknown =>
  answer.status === 403 ? at(answer.messages[0], 'error.data.scope') : 200
const through = (path: string, name: string) =>
  path === TOOLS ? { name, arguments: {} } : { name: 'crow_tools', arguments: { action: name, params: {} } }

for (const era of ERAS)
  test(`${era}: lists hold what the scopes cover, and nothing else runs`, TIMEOUT, async (t) => {
    const { source, scoped } = await externalApp(t)
    for (const [scopes, tools, resources] of MATRIX) {
      const to = await scoped(...scopes)
      const ask = await asker(to, era)
      assert.deepEqual(namesOf(await ask('tools/list')), tools, scopes.join())
      const uris = namesOf(await ask('resources/list'), 'resources', 'uri')
      assert.equal(uris.length, resources, `${scopes.join()}: ${uris.join()}`)
      for (const path of [TOOLS, ROUTER]) {
        const call = await asker(to, era, { path })
        for (const name of ['github_search', 'github_push', 'files_view', 'files_odd']) {
          const ran = source.ran.length
          const answer = await call('tools/call', through(path, name))
          const [area = ''] = name.split('_')
          const wanted = `tools:${area}${['github_search', 'files_view'].includes(name) ? ':read' : ''}`
          assert.equal(scopeIn(answer), tools.includes(name) ? 200 : wanted, `${scopes.join()} ${path} ${name}`)
          assert.equal(source.ran.length - ran, tools.includes(name) ? 1 : 0)
        }
      }
    }
  })

test('what is read beside tools needs its own area as well', TIMEOUT, async (t) => {
  const { scoped } = await externalApp(t)
  const to = await scoped('tools:github:read')
  const ref = { type: 'ref/prompt', name: 'files_choose' }
  for (const era of ERAS)
    for (const path of [TOOLS, ROUTER]) {
      const ask = await asker(to, era, { path })
      const refused = [
        await ask('resources/read', { uri: 'files+file:///a.txt' }),
        await ask('prompts/get', { name: 'files_choose' }),
        ...(era === '2025' ? [await ask('resources/subscribe', { uri: 'files+file:///a.txt' })] : []),
      ]
      for (const answer of refused) assert.equal(scopeIn(answer), 'tools:files:read', `${era} ${path} ${answer.text}`)
      const completed = resultOf(await ask('completion/complete', { ref, argument: { name: 'a', value: 'b' } }))
      assert.equal(at(completed, 'error.data.code'), 'FORBIDDEN')
      assert.equal((await ask('resources/read', { uri: 'github+issue://1' })).status, 200)
      assert.equal((await ask('prompts/get', { name: 'github_review', arguments: { pr: '1' } })).status, 200)
    }
})

test('a scope of a server that is gone lets nobody in, and does again when it is back', TIMEOUT, async (t) => {
  const { source, scoped } = await externalApp(t)
  const to = await scoped('tools:late')
  const status = async (): Promise<number> => (await (await asker(to, '2026'))('tools/list')).status
  assert.equal(await status(), 403)
  source.addArea({ id: 'late', title: 'Late' })
  source.add(tool('late_one'))
  assert.deepEqual(namesOf(await (await asker(to, '2026'))('tools/list')), ['late_one'])
  source.removeArea('late')
  assert.equal(await status(), 403)
})

const ESCAPES = [
  '../github_search',
  'github_search/../github_push',
  '__proto__',
  'constructor',
  'toString',
  'GITHUB_SEARCH',
  'Github_Search',
  'github-search',
  ' github_search',
  'github_search ',
  'search',
  'tools_github_search',
  'crow_tools',
  'files_hidden',
  'crow_store_memory',
  'memory_stats',
]

test('only the exact name of a tool that is shown reaches it, through the router as directly', TIMEOUT, async (t) => {
  const { running, source, scoped } = await externalApp(t)
  for (const to of [running, await scoped('tools'), await scoped('tools:github:read')])
    for (const era of ERAS) {
      const [direct, router] = [await asker(to, era), await asker(to, era, { path: ROUTER })]
      for (const name of ESCAPES) {
        const answers = [
          await direct('tools/call', through(TOOLS, name)),
          await router('tools/call', through(ROUTER, name)),
        ]
        for (const answer of answers)
          assert.match(answer.text, /Unknown tool|no action|is an action of|headers and body disagree/, name)
      }
    }
  assert.deepEqual(source.ran, [])
})
