import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildToolIndex, createToolIndex } from '../../../src/search/tool-index.ts'
import { longestTurn } from '../../fixtures/longest-turn.ts'
import { connectedDocuments, filledUp, talkedQuestions } from '../../fixtures/surface-questions/index.ts'

const timeout = 60_000
const TOOLS = 1000
const TURN_MS_MAX = 10
/** The collector has its turns too: a few rounds show what the work itself takes. */
const ROUNDS = 12

const documents = connectedDocuments()

test(`making an index of ${TOOLS} tools holds nothing else up for ${TURN_MS_MAX} ms`, { timeout }, async () => {
  const turns: number[] = []
  for (let round = 0; round < ROUNDS && !(Math.min(...turns) <= TURN_MS_MAX); round++) {
    const tools = filledUp(documents, TOOLS, `r${round}`)
    turns.push(await longestTurn(() => buildToolIndex(tools)))
  }
  assert.ok(Math.min(...turns) <= TURN_MS_MAX, `${turns.map((ms) => ms.toFixed(1)).join(', ')} ms`)
})

test('an index made in slices answers as one made at once', { timeout }, async () => {
  const sliced = await buildToolIndex(documents)
  assert.ok(sliced !== undefined)
  const whole = createToolIndex(documents.map((tool) => ({ ...tool })))
  for (const { text } of talkedQuestions()) assert.deepEqual(sliced.search(text, 10), whole.search(text, 10))
})

test('an index that is no longer wanted is not made', { timeout }, async () => {
  let asked = 0
  const isWanted = (): boolean => asked++ < 3
  assert.equal(await buildToolIndex(filledUp(documents, TOOLS, 'given-up'), isWanted), undefined)
  assert.equal(asked, 4)
})
