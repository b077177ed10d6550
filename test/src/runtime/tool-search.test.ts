// Finding tools while the tools change: what is answered is what there is, and what did not change is not read again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { compileCatalog } from '../../../src/runtime/catalog.ts'
import { everyone } from '../../../src/runtime/compile-server.ts'
import { invoke } from '../../../src/runtime/invoke.ts'
import type { MakeToolIndex, ToolDocument } from '../../../src/runtime/router/tool-search.ts'
import { buildToolIndex } from '../../../src/search/tool-index.ts'
import { paraphrasedQuestions, talkedQuestions } from '../../fixtures/surface-questions/index.ts'
import type { ForeignTool } from '../../fixtures/surface/foreign-tools.ts'
import { surface } from '../../fixtures/surface/index.ts'
import { foreignServer, mutableSource } from '../../fixtures/surface/mutable-source.ts'

const timeout = 30_000
const TOKENS_MAX = 200

const barometer = (name: string): ForeignTool => ({
  effect: 'read',
  definition: { name, description: 'Reads the barometer of the boat', inputSchema: { type: 'object' } },
})

function searching(makeIndex: MakeToolIndex, source = mutableSource()) {
  const servers = [...surface, foreignServer(source), foreignServer(mutableSource('other', [barometer('other_boat')]))]
  const catalog = compileCatalog(servers, { availableNeeds: ['blobs'], confirm: 'off', router: { makeIndex } })
  const ask = async (query: string): Promise<string[]> => {
    const call = { caller: everyone, server: 'router', tool: 'crow_discover', params: { query } }
    const outcome = await invoke(catalog, call)
    const [block] = outcome.kind === 'reply' ? outcome.reply.content : []
    return block?.type === 'text' ? block.text.split('\n') : []
  }
  return { ask, source }
}

test('a tool that comes while an index is made is found by the question that waits for it', { timeout }, async () => {
  const source = mutableSource()
  let builds = 0
  const { ask } = searching((documents, isWanted) => {
    builds++
    let looks = 0
    return buildToolIndex(documents, () => {
      if (builds === 1 && looks++ === 1) source.add(barometer('late_barometer'))
      return isWanted()
    })
  }, source)
  const lines = await ask('read the barometer')
  assert.equal(lines[0], 'crow_tools late_barometer')
  assert.equal(builds, 2)
})

test('a tool that goes while an index is made is not named any more', { timeout }, async () => {
  const source = mutableSource()
  source.add(barometer('early_barometer'))
  let builds = 0
  const { ask } = searching(async (documents) => {
    builds++
    const index = await buildToolIndex(documents)
    if (builds === 1) source.remove('early_barometer')
    return index
  }, source)
  const lines = await ask('read the barometer')
  assert.deepEqual(lines.slice(0, 1), ['crow_tools other_boat'])
  assert.ok(!lines.join('\n').includes('early_barometer'))
})

test('tools that change without end are still found', { timeout }, async () => {
  const source = mutableSource()
  let changes = 0
  const { ask } = searching((documents, isWanted) => {
    source.add(barometer(`barometer_${changes++}`))
    return buildToolIndex(documents, isWanted)
  }, source)
  const lines = await ask('read the barometer')
  assert.match(lines[0] ?? '', /^crow_tools (?:barometer_\d|other_boat)$/)
  assert.ok(changes < 20, `${changes} indexes`)
})

test('questions that come together share one index, and one that fails is made again', { timeout }, async () => {
  let builds = 0
  const { ask } = searching(async (documents) => {
    builds++
    if (builds === 1) throw new RangeError('no words')
    return buildToolIndex(documents)
  })
  assert.match((await ask('read the barometer')).join('\n'), /INTERNAL|could not/i)
  const answers = await Promise.all([ask('read the barometer'), ask('read the barometer')])
  assert.deepEqual(answers[0], answers[1])
  assert.equal(builds, 2)
})

test('of a source that changes only its own tools are read again', { timeout }, async () => {
  const given: (readonly ToolDocument[])[] = []
  const { ask, source } = searching((documents) => {
    given.push(documents)
    return buildToolIndex(documents)
  })
  await ask('barometer')
  source.add(barometer('new_barometer'))
  await ask('barometer')
  const [before = [], after = []] = given
  const known = new Set(before)
  const fresh = after.filter((document) => !known.has(document)).map(({ name }) => name)
  assert.deepEqual(fresh.toSorted(), [...source.names].toSorted())
})

test(`a reply has five lines and more names where they fit, in ${TOKENS_MAX} tokens`, { timeout }, async () => {
  const { ask } = searching(buildToolIndex)
  const asked = [...talkedQuestions(), ...paraphrasedQuestions()].filter(({ heldOut }) => !heldOut)
  const replies: string[][] = []
  for (const { text } of asked) replies.push(await ask(text))
  const tokens = replies.map((lines) => encode(lines.join('\n')).length)
  assert.ok(Math.max(...tokens) <= TOKENS_MAX, `${Math.max(...tokens)} tokens`)
  assert.ok(replies.some((lines) => lines.length > 5))
  for (const lines of replies.filter(({ length }) => length > 5))
    for (const line of lines.slice(5)) assert.match(line, /^crow_\w+ [\w.-]+$/)
})
