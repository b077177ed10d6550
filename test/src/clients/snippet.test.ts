import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectAllSnippet } from '../../../src/clients/snippet.ts'
import { aiClients } from '../../../src/clients/table.ts'

const timeout = 10_000
const connection = (name: string) => ({
  name,
  url: `http://127.0.0.1:3001/${name}/mcp`,
  token: 'crow_local_x',
  command: ['crow', 'stdio', name] as const,
})

test('several servers are one file, or a command each', { timeout }, () => {
  const both = [connection('memory'), connection('blog')]
  for (const client of aiClients.filter(({ http }) => http !== undefined)) {
    const text = connectAllSnippet(client, both)
    for (const { url } of both) assert.equal(text.split(url).length, 2, client.id)
    if (client.command !== undefined) assert.equal(text.split('\n').length, 2)
    else assert.deepEqual(Object.keys(JSON.parse(text)[client.key]), ['memory', 'blog'])
  }
})
