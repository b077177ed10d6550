// Resources, templates, prompts and completions of external servers, and subscriptions to them.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { received } from '../../fixtures/upstream/fake-record.ts'
import { ANYONE, fakeSpec, stand, textOf } from '../../fixtures/upstream/hub-stand.ts'
import { until } from '../../fixtures/until.ts'
import { temporaryFolder } from '../db/temporary.ts'

const timeout = 60_000

for (const era of ['2025', '2026'])
  test(`content of a ${era} server under public names and addresses`, { timeout }, async (t) => {
    const at = await stand(t, [fakeSpec('one', { era }), fakeSpec('two')])
    await at.ready('one_echo')
    const { content } = at.source
    assert.ok(content)
    const uris = (): unknown[] => content.resources(ANYONE).map(({ uri }) => uri)
    await until(() => uris().includes('one+memo://two'))
    await until(() => content.templates(ANYONE).some(({ uriTemplate }) => uriTemplate === 'one+memo://{id}'))
    assert.equal(content.areaOfTemplate('one+memo://{id}'), 'one')
    assert.ok(content.prompts(ANYONE).some(({ name }) => name === 'one_greet'))
    assert.equal(content.areaOfPrompt('one_greet'), 'one')
    assert.equal(content.areaOfPrompt('greet'), undefined)
    const ctx = at.context()
    assert.deepEqual(await content.read('one+memo://two', ctx), {
      contents: [{ uri: 'one+memo://two', text: 'text of memo://two' }],
    })
    assert.equal(await content.read('one+gone://x', ctx), undefined)
    assert.equal(content.areaOfUri('three+memo://x'), undefined)
    assert.equal(content.areaOfUri('memo://two'), undefined)
    const prompt = await content.getPrompt('one_greet', { who: 'Ada' }, ctx)
    assert.deepEqual(Object(prompt).messages[0].content, { type: 'text', text: 'Hello Ada' })
    assert.equal(await content.getPrompt('one_none', {}, ctx), undefined)
    const completion = await content.complete(
      { type: 'ref/prompt', name: 'one_greet' },
      { name: 'who', value: 'a' },
      undefined,
      ctx,
    )
    assert.deepEqual(Object(completion).completion.values, ['a-one'])
    const template = { type: 'ref/resource' as const, uri: 'one+memo://{id}' }
    assert.deepEqual(
      Object(await content.complete(template, { name: 'id', value: 'b' }, undefined, ctx)).completion.values,
      ['b-one'],
    )
  })

for (const era of ['2025', '2026'])
  test(
    `a resource of a ${era} server is watched, also when its server dies or its settings change`,
    { timeout },
    async (t) => {
      const record = join(temporaryFolder(t), 'record')
      const one = fakeSpec('one', { era, record }, { idleMs: 100 })
      const at = await stand(t, [one])
      await at.ready('one_update')
      const subscriptions = (): number =>
        received(record, era === '2025' ? 'resources/subscribe' : 'subscriptions/listen').filter((message) =>
          JSON.stringify(message['params']).includes('memo://two'),
        ).length
      const stop = at.source.content?.watch('one+memo://two')
      const updated = async (turn: number): Promise<void> => {
        await until(() => subscriptions() === turn, `subscription ${turn}`)
        const before = at.changes.length
        await at.call('one_update', { uri: 'memo://two' })
        await until(() => at.changes.slice(before).some((change) => change.kind === 'resource'))
        assert.deepEqual(
          at.changes.findLast(({ kind }) => kind === 'resource'),
          { kind: 'resource', uri: 'one+memo://two' },
        )
      }
      await updated(1)
      await at.fails('one_die')
      await until(() => at.status('one').status === 'ready' && at.status('one').restarts === 1)
      await updated(2)
      await at.hub.apply({ specs: [{ ...one, fingerprint: 'other' }], problems: [] })
      await until(() => at.status('one').status === 'ready')
      await updated(3)
      stop?.()
      await until(() => at.status('one').status === 'idle')
      assert.equal(textOf(await at.call('one_echo', { message: 'x' })), 'Echo: x')
    },
  )
