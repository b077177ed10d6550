import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchedFetch } from '../../../../src/mcp/outbound/watched-fetch.ts'

const timeout = 5_000

test(
  'a request that is only acknowledged gets no answer any more; an answer of ours expects none',
  { timeout },
  async () => {
    const ended: unknown[] = []
    const status = { is: 202 }
    const watching = watchedFetch(
      (id) => void ended.push(id),
      () => Promise.resolve(new Response(null, { status: status.is })),
    )
    const post = (message: object): Promise<Response> =>
      watching('http://127.0.0.1/', { method: 'POST', body: JSON.stringify(message) })
    await post({ jsonrpc: '2.0', id: 7, result: {} })
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    assert.deepEqual(ended, [])
    await post({ jsonrpc: '2.0', id: 8, method: 'tools/call' })
    status.is = 204
    await post({ jsonrpc: '2.0', id: 9, method: 'tools/call' })
    assert.deepEqual(ended, [8, 9])
  },
)
