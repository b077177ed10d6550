// Search by meaning through an embeddings endpoint on the loopback interface.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test, type TestContext } from 'node:test'
import type { EmbeddingsConfig } from '../../../../../src/search/embeddings-client.ts'
import { listen } from '../../../../fixtures/loopback.ts'
import { idsIn, memoryRoom } from '../room.ts'

const timeout = 30_000

/** Words of one meaning share a direction: an endpoint that knows three subjects. */
const SUBJECTS = [/car|automobile|vehicle/i, /dog|puppy|hound/i, /soup|broth/i]
const vectorOf = (text: string): number[] => SUBJECTS.map((subject) => (subject.test(text) ? 1 : 0.01))

/** An OpenAI-compatible endpoint; `broken` answers 500. */
async function endpoint(
  t: TestContext,
): Promise<{ config: EmbeddingsConfig; state: { broken: boolean; calls: number } }> {
  const state = { broken: false, calls: 0 }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      state.calls += 1
      const { input } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      const data = [input].flat().map((text: string, index: number) => ({ index, embedding: vectorOf(text) }))
      response.writeHead(state.broken ? 500 : 200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
    })
  })
  const port = await listen(t, server)
  return {
    config: {
      provider: 'openai',
      url: `http://127.0.0.1:${port}/v1`,
      model: 'three-subjects',
      timeoutMs: 2000,
    },
    state,
  }
}

test('what is stored is found by meaning, and embedded anew on request', { timeout }, async (t) => {
  const { config, state } = await endpoint(t)
  const room = await memoryRoom(t, { embeddings: config })
  await room.store({ content: 'The puppy sleeps in the hall.' })
  await room.store({ content: 'An automobile stands outside.' })
  await room.searcher.semantic?.idle()
  assert.match((await room.call('memory_stats')).text, /search by meaning: three-subjects, 2 of 2 embedded$/m)
  assert.equal(idsIn(await room.call('search_memories', { query: 'hound' }))[0], 1)
  assert.deepEqual(idsIn(await room.call('search_memories', { query: 'hound', semantic: false })), [])
  const calls = state.calls
  assert.equal(
    (await room.call('regenerate_embeddings', { id_list: [1, 2, 99, 1] })).text,
    'Embedded 2 of 2 memories with three-subjects.',
  )
  assert.ok(state.calls > calls)
  assert.match((await room.call('regenerate_embeddings', { category: 'nothing' })).text, /^Nothing to embed/)
})

test('a changed text is embedded again, a deleted one is not found by meaning', { timeout }, async (t) => {
  const { config } = await endpoint(t)
  const room = await memoryRoom(t, { embeddings: config })
  await room.store({ content: 'The puppy sleeps.' })
  await room.searcher.semantic?.idle()
  await room.call('update_memory', { id: 1, content: 'The broth is hot.' })
  await room.searcher.semantic?.idle()
  assert.equal(idsIn(await room.call('search_memories', { query: 'soup' }))[0], 1)
  await room.confirm('delete_memory', { id: 1 })
  assert.deepEqual(idsIn(await room.call('search_memories', { query: 'soup' })), [])
})

test('an endpoint that fails never fails a write or a search, and the counts say so', { timeout }, async (t) => {
  const { config, state } = await endpoint(t)
  const room = await memoryRoom(t, { embeddings: config })
  state.broken = true
  await room.store({ content: 'A car in the rain.' })
  assert.deepEqual(idsIn(await room.call('search_memories', { query: 'car' })), [1])
  assert.match((await room.call('regenerate_embeddings')).text, /^Embedded 0 of 1 memory with three-subjects, 1 failed/)
  assert.match((await room.call('memory_stats')).text, /0 of 1 embedded, 1 wait or failed: crow_regenerate_embeddings/)
})
