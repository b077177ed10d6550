// Replies hold what a model needs and nothing beside: every tool there is, on data that somebody has lived with, through its
// server, the router and `core`; what a tool that comes later says is held to the same rules by its examples.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import { openGateway } from '../../src/gateway.ts'
import type { Catalog } from '../../src/runtime/catalog.ts'
import { everyone } from '../../src/runtime/compile-server.ts'
import type { CompiledTool } from '../../src/runtime/compiled.ts'
import { createCore } from '../../src/runtime/core/core.ts'
import { invoke } from '../../src/runtime/invoke.ts'
import { renderPrompt } from '../../src/runtime/prompt.ts'
import { readResource } from '../../src/runtime/read.ts'
import { leanProblems } from '../fixtures/lean.ts'
import { life, questions } from '../fixtures/lived-in.ts'
import { temporaryFolder } from '../src/db/temporary.ts'

const timeout = 60_000
const DAY_MS = 86_400_000

interface Home {
  readonly catalog: Catalog
  /** Says one thing to a tool and looks at the answer. @returns the text; undefined for an error */
  readonly ask: (server: string, tool: string, params: object) => Promise<string | undefined>
  /** What was not lean so far. */
  readonly problems: readonly string[]
}

/** A gateway with a life behind it; `core` is one of its servers. */
async function home(t: TestContext): Promise<Home> {
  let now = Date.parse('2026-01-15T10:00:00Z')
  const gateway = await openGateway(loadConfig({}, { dataDir: temporaryFolder(t) }), {
    longLived: false,
    clock: { now: () => now },
  })
  t.after(() => gateway.close())
  const { catalog } = createCore(gateway.catalog, { defaultServer: 'memory' })
  const problems: string[] = []
  const ask: Home['ask'] = async (server, tool, params) => {
    now += 1000
    const outcome = await invoke(catalog, { caller: everyone, server, tool, params })
    assert.ok(outcome.kind === 'reply', `${tool}: ${outcome.kind}`)
    const { content, structuredContent, isError } = outcome.reply
    const declared = catalog.server(server)?.find(tool, everyone)?.declaration.output
    const said = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
    const found = structuredContent === undefined || declared !== undefined ? [] : ['structured content without output']
    problems.push(
      ...[...found, ...leanProblems(said)].map((problem) => `${server} ${tool} ${JSON.stringify(params)}: ${problem}`),
    )
    return isError === true ? undefined : said
  }
  for (const { tool, params } of life) {
    now += DAY_MS / 4
    assert.ok((await ask('memory', tool, params)) !== undefined, tool)
  }
  return { catalog, ask, problems }
}

const order = ['write', 'read', 'destroy']

/** Each tool with its examples: first those that make something, last those that take it away. */
const examples = (catalog: Catalog): [CompiledTool, readonly object[]][] =>
  catalog.servers
    .filter(({ derived }) => !derived)
    .flatMap(({ tools }) => tools)
    .toSorted((one, other) => order.indexOf(one.effect) - order.indexOf(other.effect))
    .map((tool) => [tool, tool.declaration.examples ?? []])

test('every tool, asked as it is used, and as its examples say', { timeout }, async (t) => {
  const { catalog, ask, problems } = await home(t)
  const answered = new Set<string>()
  for (const { tool, params } of questions) if ((await ask('memory', tool, params)) !== undefined) answered.add(tool)
  for (const [tool, inputs] of examples(catalog)) {
    for (const input of inputs) if ((await ask(tool.server, tool.name, input)) !== undefined) answered.add(tool.name)
    await ask(tool.server, tool.name, {})
    await ask(tool.server, tool.name, { no_such_field: 1 })
  }
  assert.deepEqual(problems, [])
  const silent = examples(catalog).filter(([{ name }]) => !answered.has(name))
  assert.deepEqual(
    silent.map(([{ name }]) => name),
    [],
    'no example of these was answered: give it one that works, or put a question into test/fixtures/lived-in.ts',
  )
})

test('the router: calls, wrong calls, and every level of discovery', { timeout }, async (t) => {
  const { catalog, ask, problems } = await home(t)
  for (const { tool, params } of questions) await ask('router', 'crow_memory', { action: tool, params })
  for (const [{ server, name, effect }] of examples(catalog)) {
    await ask('router', 'crow_discover', { category: server, action: name })
    if (effect !== 'destroy') await ask('router', `crow_${server}`, { action: name, params: { no_such_field: 1 } })
  }
  for (const [tool, params] of [
    ['crow_discover', {}],
    ['crow_discover', { query: 'remember something' }],
    ['crow_discover', { query: 'zzyzx' }],
    ['crow_discover', { category: 'memory' }],
    ['crow_discover', { category: 'memmory' }],
    ['crow_discover', { category: 'instances' }],
    ['crow_discover', { action: 'stor_memory' }],
    ['crow_memory', {}],
    ['crow_memory', { action: 'stor_memory' }],
    ['crow_tools', { action: 'x' }],
    ['crow_tools', { action: 'x', instance_id: 'y' }],
  ] as const)
    await ask('router', tool, params)
  assert.deepEqual(problems, [])
})

test('core: its own three tools', { timeout }, async (t) => {
  const { ask, problems } = await home(t)
  for (const [tool, params] of [
    ['server_status', {}],
    ['activate_server', { server: 'memory' }],
    ['activate_server', { server: 'memmory' }],
    ['activate_server', {}],
    ['deactivate_server', { server: 'memory' }],
  ] as const)
    await ask('core', `crow_${tool}`, params)
  assert.deepEqual(problems, [])
})

test('a reply that is cut, and what follows it', { timeout }, async (t) => {
  const { ask, problems } = await home(t)
  const wide = 'wide words\n'.repeat(4000).trim()
  const stored = (await ask('memory', 'store_memory', { content: wide, context: wide })) ?? ''
  const id = Number(/id (\d+)/.exec(stored)?.[1])
  const first = (await ask('memory', 'get_memory', { id })) ?? ''
  const more = /"more": "([^"]+)"/.exec(first)?.[1]
  assert.ok(more !== undefined, first.slice(-300))
  assert.ok((await ask('memory', 'get_memory', { id, more })) !== undefined)
  await ask('memory', 'get_memory', { id, more: 'no.0.0' })
  assert.deepEqual(problems, [])
})

test('prompts, resources and instructions', { timeout }, async (t) => {
  const { catalog } = await home(t)
  const texts = catalog.servers.map((server): [string, string] => [
    `${server.id} instructions`,
    catalog.instructions(server, everyone) ?? 'none',
  ])
  for (const { id, prompts, resources } of catalog.servers) {
    for (const { name } of prompts) {
      const outcome = await renderPrompt(catalog, { caller: everyone, server: id, name, args: {} })
      assert.ok(outcome.kind === 'messages', name)
      for (const { content } of outcome.messages) if ('text' in content) texts.push([name, String(content.text)])
    }
    for (const { uri } of resources) {
      const outcome = await readResource(catalog, { caller: everyone, server: id, uri })
      assert.ok(outcome.kind === 'contents', uri)
      for (const content of outcome.contents) if ('text' in content) texts.push([uri, content.text])
    }
  }
  assert.deepEqual(
    texts.flatMap(([name, text]) => leanProblems(text).map((problem) => `${name}: ${problem}`)),
    [],
  )
})

test('a form of the answer may be chosen for a whole category, not for each tool', { timeout }, async (t) => {
  const { catalog } = await home(t)
  const choosing = catalog.servers
    .filter(({ derived }) => !derived)
    .flatMap(({ tools }) => tools)
    .filter(({ shape }) => shape.fields.some(({ name }) => /^(output_|response_)?format$/.test(name)))
  assert.deepEqual(
    choosing.map(({ publicName }) => publicName),
    [],
  )
})

test('the rules see what is not lean', { timeout }, () => {
  for (const text of [
    'context: null',
    '{"tags":[]}',
    '<memory id="1" tags="">x</memory>',
    'newest:\n\nx',
    'newest:',
    'created 2026-01-01T10:00:00Z',
    'x \ny',
    'x\n\n\ny',
    'id 3 stands for id 3',
    '<memory id="3">a</memory>\n<memory id="3">a</memory>',
  ])
    assert.equal(leanProblems(text).length, 1, text)
  for (const text of ['newest:\n<memory id="3">a</memory>', '# crow.md\n\n## A\n', 'id 1.5 and id 1, 10:00Z'])
    assert.deepEqual(leanProblems(text), [], text)
})
