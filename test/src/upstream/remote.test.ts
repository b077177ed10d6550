// Servers over Streamable HTTP and HTTP+SSE, of both kinds: this very gateway, served by itself.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Target } from '../../../src/lib/link.ts'
import { openRemoteLink } from '../../../src/mcp/outbound/remote-link.ts'
import { conformanceServer } from '../../fixtures/conformance-server.ts'
import { startApp } from '../../fixtures/running-app.ts'
import { askable, specOf, stand, textOf, type Stand } from '../../fixtures/upstream/hub-stand.ts'
import { until } from '../../fixtures/until.ts'

const timeout = 60_000

async function remote(t: TestContext, eras: string, kind: 'http' | 'sse' = 'http'): Promise<Stand> {
  const app = await startApp({ CROW_ERAS: eras }, { servers: [conformanceServer] })
  t.after(() => app.close())
  const url = `${app.origin}/conformance/${kind === 'sse' ? 'sse' : 'mcp'}`
  const target: Target = { kind, url, headers: { authorization: `Bearer ${app.token}` } }
  const at = await stand(t, [specOf('far', { target })], {
    open: (to, options) => {
      if (to.kind === 'stdio') throw new TypeError('not remote')
      return openRemoteLink(to, options)
    },
  })
  await at.ready('far_test_simple_text')
  return at
}

for (const [eras, kind] of [
  ['2025', 'http'],
  ['2025', 'sse'],
  ['2026', 'http'],
] as const) {
  test(`${eras} over ${kind}: called, with progress and errors`, { timeout }, async (t) => {
    const at = await remote(t, eras, kind)
    assert.match(textOf(await at.call('far_test_simple_text')), /simple text/)
    const steps: number[] = []
    await at.call('far_test_tool_with_progress', {}, { progress: (done) => void steps.push(done) })
    assert.deepEqual(steps, [0, 50, 100])
    assert.equal((await at.call('far_test_error_handling')).isError, true)
    assert.ok((at.source.content?.resources(at.context().caller) ?? []).length > 0)
  })

  test(`${eras} over ${kind}: it asks, each caller its own question`, { timeout }, async (t) => {
    const at = await remote(t, eras, kind)
    const answers = await Promise.all(
      ['a', 'b'].map(async (id) => {
        const caller = askable(id)
        const needed = await at.asks('far_test_elicitation', { message: id }, { caller })
        const [name = '', request] = Object.entries(needed.requests)[0] ?? []
        assert.equal(request?.params['message'], id)
        const response = { action: 'accept', content: { username: id, email: `${id}@example.org` } }
        const elicit = { supported: true, state: needed.state, responses: { [name]: response } }
        return textOf(await at.call('far_test_elicitation', { message: id }, { caller, elicit }))
      }),
    )
    assert.match(answers[0] ?? '', /a@example/)
    assert.match(answers[1] ?? '', /b@example/)
    await until(() => at.status('far').pending === 0)
  })
}

test('parameters that a 2026 server wants in headers are repeated there', { timeout }, async (t) => {
  const at = await remote(t, '2026')
  for (const region of ['eu', 'Zürich', ' =?base64?x?='])
    assert.match(textOf(await at.call('far_test_mirrored_parameter', { region })), /test_mirrored_parameter/)
})
