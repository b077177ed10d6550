import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../../../src/runtime/context.ts'
import { abilitiesOf, callerWith, channelOf } from '../../../src/mcp/abilities.ts'

const timeout = 5_000

test('what a client declared is one word, whatever the order or the details', { timeout }, () => {
  const cases: readonly (readonly [capabilities: unknown, word: string | undefined])[] = [
    [undefined, undefined],
    [{}, undefined],
    [{ roots: {}, experimental: {} }, undefined],
    [{ elicitation: {} }, 'elicitation'],
    [{ elicitation: { form: {} } }, 'elicitation'],
    [{ elicitation: { url: {} } }, 'elicitation.url'],
    [{ elicitation: { url: {}, form: { applyDefaults: true } } }, 'elicitation,elicitation.url'],
    [{ sampling: {} }, 'sampling'],
    [{ sampling: { tools: {} }, elicitation: {} }, 'elicitation,sampling,sampling.tools'],
    [{ elicitation: 'yes', sampling: { context: {} } }, 'sampling'],
  ]
  for (const [capabilities, word] of cases) assert.equal(abilitiesOf(capabilities), word, JSON.stringify(capabilities))
})

test('a caller with the same abilities is the same object, and as frozen as the one it came from', { timeout }, () => {
  const caller: Caller = Object.freeze({ id: 'a', kind: 'oauth', scopes: new Set(['tools']) })
  const asked = callerWith(caller, 'sampling')
  assert.deepEqual(asked, { ...caller, abilities: 'sampling' })
  assert.ok(Object.isFrozen(asked))
  assert.equal(callerWith(caller, 'sampling'), asked)
  assert.equal(callerWith(caller, undefined), caller)
  assert.notEqual(callerWith({ ...caller }, 'sampling'), asked)
})

test('a channel offers exactly what the word says', { timeout }, () => {
  assert.deepEqual(channelOf(undefined), { supported: false, can: { url: false, sampling: false } })
  assert.deepEqual(channelOf('elicitation,sampling'), { supported: true, can: { url: false, sampling: true } })
  assert.deepEqual(channelOf('elicitation.url'), { supported: false, can: { url: true, sampling: false } })
  assert.deepEqual(channelOf('telepathy'), { supported: false })
})
