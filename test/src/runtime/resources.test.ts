import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileCatalog } from '../../../src/runtime/catalog.ts'
import { fault } from '../../../src/runtime/fault.ts'
import { renderPrompt } from '../../../src/runtime/prompt.ts'
import { readResource } from '../../../src/runtime/read.ts'
import { needInput } from '../../../src/runtime/reply.ts'
import { defineServer, type Resource } from '../../../src/runtime/server.ts'
import { memoryLog, owner } from './fixture.ts'

const resource = (uri: string, read: Resource['read']): Resource => ({
  uri,
  name: uri,
  description: uri,
  mimeType: 'text/plain',
  read,
})
const log = memoryLog()
const catalog = compileCatalog(
  [
    defineServer({
      id: 'shop',
      summary: 'Shop',
      tools: [],
      searchables: [{ id: 'things', search: () => [] }],
      resources: [
        resource('shop://who', (ctx) => ({
          text: `${ctx.caller.id} ${ctx.ports.searchables.map((one) => one.id).join()}`,
        })),
        resource('shop://gone', () => {
          throw fault('NOT_FOUND', 'gone')
        }),
        resource('shop://broken', async () => {
          throw new Error('pw=x')
        }),
        resource('shop://stuck', () => new Promise<never>(() => undefined)),
      ],
      templates: [
        {
          uriTemplate: 'shop://item/{id}/part/{part}',
          name: 'part',
          description: 'Part',
          mimeType: 'text/plain',
          read: (values) => ({ text: JSON.stringify(values) }),
        },
      ],
      prompts: [
        {
          name: 'greet',
          description: 'Greets.',
          arguments: [{ name: 'who', required: true }],
          render: (args, ctx) =>
            args['who'] === 'ask' && ctx.elicit.state === undefined
              ? needInput({ who: { method: 'elicitation/create', params: {} } }, 'asked')
              : [
                  {
                    role: 'user',
                    content: { type: 'text', text: `Hi ${args['who'] ?? ''} ${ctx.elicit.state ?? ''}` },
                  },
                ],
        },
      ],
    }),
  ],
  { log },
)
const read = (uri: string, more: object = {}) => readResource(catalog, { caller: owner, server: 'shop', uri, ...more })

test("a resource is read with the caller's context, by its URI or by a template", { timeout: 5000 }, async () => {
  assert.deepEqual(await read('shop://who'), {
    kind: 'contents',
    contents: [{ uri: 'shop://who', mimeType: 'text/plain', text: 'owner things' }],
  })
  const uri = 'shop://item/a%20b/part/7'
  assert.deepEqual(await read(uri), {
    kind: 'contents',
    contents: [{ uri, mimeType: 'text/plain', text: '{"id":"a b","part":"7"}' }],
  })
})

test('what is not there reads as unknown; what breaks is an incident without detail', { timeout: 5000 }, async () => {
  for (const uri of [
    'shop://nothing',
    'shop://gone',
    'shop://item/1/part/',
    'shop://item/1/2/part/3',
    'shop://item/%zz/part/1',
    '',
  ]) {
    assert.equal((await read(uri)).kind, 'unknown-resource', uri)
  }
  const broken = await read('shop://broken')
  assert.ok(broken.kind === 'fault' && broken.fault.code === 'INTERNAL_ERROR' && !broken.fault.message.includes('pw'))
  const denied = await read('shop://who', { caller: { ...owner, scopes: new Set(['other']) } })
  assert.ok(denied.kind === 'fault' && denied.fault.code === 'FORBIDDEN')
})

test('a read whose caller goes away is answered at once', { timeout: 5000 }, async () => {
  const abort = new AbortController()
  const reading = read('shop://stuck', { signal: abort.signal })
  setImmediate(() => abort.abort())
  const outcome = await reading
  assert.ok(outcome.kind === 'fault' && outcome.fault.code === 'CANCELLED')
})

test('a prompt renders, names missing arguments, and may ask in rounds', { timeout: 5000 }, async () => {
  const prompt = (args: Record<string, string>, state?: string) =>
    renderPrompt(catalog, {
      caller: owner,
      server: 'shop',
      name: 'greet',
      args,
      elicit: { supported: true, ...(state === undefined ? {} : { state }) },
    })
  const done = await prompt({ who: 'Ada' })
  assert.ok(done.kind === 'messages' && JSON.stringify(done.messages).includes('Hi Ada'))
  assert.deepEqual(await prompt({}), { kind: 'missing-argument', names: ['who'] })
  assert.equal(
    (await renderPrompt(catalog, { caller: owner, server: 'shop', name: 'no', args: {} })).kind,
    'unknown-prompt',
  )
  const asked = await prompt({ who: 'ask' })
  assert.ok(asked.kind === 'input-required')
  const again = await prompt({ who: 'ask' }, asked.state)
  assert.ok(again.kind === 'messages' && JSON.stringify(again.messages).includes('asked'))
  assert.equal((await prompt({ who: 'ask' }, 'forged')).kind, 'invalid-state')
})
