// A wrong call through the router is answered with the call that was meant: its last line, holes filled by type, passes.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { isRecord } from '../../src/lib/json.ts'
import { compileCatalog, type Catalog } from '../../src/runtime/catalog.ts'
import { everyone } from '../../src/runtime/compile-server.ts'
import { invoke } from '../../src/runtime/invoke.ts'
import { createToolIndex } from '../../src/search/tool-index.ts'
import { fill } from '../fixtures/holes.ts'
import { callOf, readActions, seeded, type ListedAction } from '../fixtures/notation.ts'
import { surface } from '../fixtures/surface/index.ts'

const timeout = 120_000
const CALLS = 500

const surfaceCatalog = (): Catalog =>
  compileCatalog(surface, { availableNeeds: ['blobs'], confirm: 'off', router: { makeIndex: createToolIndex } })

interface Wrong {
  readonly tool: string
  readonly action: string
  readonly params: Record<string, unknown>
}

type Spoil = (
  right: Wrong,
  random: () => number,
  listed: ListedAction,
  all: readonly ListedAction[],
) => Wrong | undefined

const pick = <T>(values: readonly T[], random: () => number): T | undefined =>
  values[Math.floor(random() * values.length)]

/** One or two edits. */
function mistyped(name: string, random: () => number): string {
  let typed = name
  for (let edits = random() < 0.5 ? 1 : 2; edits > 0; edits--) {
    const at = 1 + Math.floor(random() * (typed.length - 1))
    const kind = Math.floor(random() * 3)
    if (kind === 0) typed = typed.slice(0, at) + typed.slice(at + 1)
    else if (kind === 1) typed = `${typed.slice(0, at)}x${typed.slice(at)}`
    else typed = `${typed.slice(0, at)}q${typed.slice(at + 1)}`
  }
  return typed
}

const spoils: Readonly<Record<string, Spoil>> = {
  'a slip in the action': (right, random, _listed, all) => {
    const action = mistyped(right.action, random)
    return all.some((listed) => listed.action === action) ? undefined : { ...right, action }
  },
  'a slip in a parameter': (right, random) => {
    const name = pick(Object.keys(right.params), random)
    if (name === undefined || name.length < 4) return undefined
    const { [name]: value, ...rest } = right.params
    return { ...right, params: { ...rest, [mistyped(name, random)]: value } }
  },
  'a wrong type': (right, random, { parameters }) => {
    const typed = parameters.filter(({ type }) => type !== 'any')
    const parameter = pick(typed, random)
    if (parameter === undefined) return undefined
    return { ...right, params: { ...right.params, [parameter.name]: { not: ['this'] } } }
  },
  'something missing': (right, random, { parameters }) => {
    const name = pick(
      parameters.filter(({ required }) => required),
      random,
    )?.name
    if (name === undefined) return undefined
    const { [name]: _gone, ...rest } = right.params
    return { ...right, params: rest }
  },
  'something extra': (right, random) => ({
    ...right,
    params: { ...right.params, [`zz_${Math.floor(random() * 99)}`]: 1 },
  }),
  'the wrong category': (right, random, listed, all) => {
    const other = pick(
      all.filter(({ tool }) => tool !== listed.tool),
      random,
    )
    return other === undefined ? undefined : { ...right, tool: other.tool }
  },
}

async function textOf(catalog: Catalog, { tool, action, params }: Wrong): Promise<{ text: string; failed: boolean }> {
  const outcome = await invoke(catalog, { caller: everyone, server: 'router', tool, params: { action, params } })
  assert.equal(outcome.kind, 'reply')
  assert.ok(outcome.kind === 'reply')
  const [block] = outcome.reply.content
  return { text: block?.type === 'text' ? block.text : '', failed: outcome.reply.isError === true }
}

function suggested(text: string): Wrong {
  const line: unknown = JSON.parse(text.split('\n').at(-1) ?? '')
  assert.ok(isRecord(line) && typeof line['tool'] === 'string' && typeof line['action'] === 'string', text)
  const { tool, action, params } = line
  return { tool, action, params: isRecord(params) ? params : {} }
}

async function spoilAll(t: TestContext, name: string, spoil: Spoil): Promise<void> {
  const catalog = surfaceCatalog()
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
  t.diagnostic(`${name}: seed ${seed}`)
  const random = seeded(seed)
  const all = readActions(catalog.listTools('router', everyone))
  const sizes: number[] = []
  const failures: string[] = []
  for (let tries = 0; sizes.length < CALLS && tries < CALLS * 20; tries++) {
    const listed = pick(all, random)
    assert.ok(listed)
    const right: Wrong = { tool: listed.tool, action: listed.action, params: callOf(listed, random) }
    const wrong = spoil(right, random, listed, all)
    if (wrong === undefined) continue
    const { text, failed } = await textOf(catalog, wrong)
    // What is no mistake after all: another action of that name, or a part that was not needed.
    if (!failed) continue
    sizes.push(encode(text).length)
    const { tool, action, params } = suggested(text)
    const again = await textOf(catalog, { tool, action, params: fill(params, random) })
    if (again.failed) failures.push(`${JSON.stringify(wrong)}\n→ ${text}\n→ ${again.text}`)
  }
  sizes.sort((one, other) => one - other)
  t.diagnostic(`${name}: ${sizes.length} replies, tokens median ${sizes[sizes.length >> 1]}, most ${sizes.at(-1)}`)
  assert.equal(sizes.length, CALLS)
  assert.deepEqual(failures.slice(0, 3), [])
  assert.ok((sizes[sizes.length >> 1] ?? Infinity) <= 80, 'the median')
  assert.ok((sizes.at(-1) ?? Infinity) <= 160, 'the longest')
}

for (const [name, spoil] of Object.entries(spoils))
  test(`the line that answers ${name} is right`, { timeout }, async (t) => spoilAll(t, name, spoil))
