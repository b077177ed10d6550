import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Connection, entryFor } from '../../../src/clients/entry.ts'
import { mergeEntry } from '../../../src/clients/merge.ts'
import { type AiClient, aiClients } from '../../../src/clients/table.ts'

const timeout = 10_000

const connection: Connection = {
  name: 'crow',
  url: 'http://127.0.0.1:3001/memory/mcp',
  token: 'crow_local_example',
  command: ['C:\\Program Files\\nodejs\\node.exe', 'C:\\Users\\Jürgen Ä\\crow\\dist\\main.js', 'stdio', 'memory'],
}

function clientNamed(id: string): AiClient {
  const client = aiClients.find((known) => known.id === id)
  assert.ok(client, id)
  return client
}

for (const client of aiClients) {
  for (const transport of client.http === undefined ? (['stdio'] as const) : (['http', 'stdio'] as const)) {
    test(`merging twice over ${transport} keeps foreign entries of ${client.title}`, { timeout }, () => {
      const foreign = {
        theme: 'dark',
        [client.key]: { other: { command: 'x', args: ['-y'] } },
        inputs: [{ id: 'mine' }],
      }
      const before = JSON.stringify(foreign, null, 4)
      const entry = entryFor(client, connection, transport)
      const once = mergeEntry(before, client, 'crow', entry)
      const twice = mergeEntry(once, client, 'crow', entry)
      assert.equal(twice, once)
      const merged = JSON.parse(twice)
      assert.equal(merged.theme, 'dark')
      assert.deepEqual(merged[client.key].other, { command: 'x', args: ['-y'] })
      assert.deepEqual(Object.keys(merged[client.key]), ['other', 'crow'])
      assert.deepEqual(merged.inputs[0], { id: 'mine' })
      assert.match(twice, /\n {4}"theme"/, 'the indentation stays')
    })
  }
}

test('backslashes, spaces and umlauts survive in the JSON', { timeout }, () => {
  const client = clientNamed('claude-desktop')
  const text = mergeEntry(undefined, client, 'crow', entryFor(client, connection, 'stdio'))
  const { command, args } = JSON.parse(text).mcpServers.crow
  assert.deepEqual([command, ...args], [...connection.command])
  assert.match(text, /C:\\\\Program Files/)
})

test('the old entry of the same name is replaced as a whole', { timeout }, () => {
  const client = clientNamed('cursor')
  const before = '{"mcpServers":{"crow":{"command":"old","env":{"A":"1"}},"z":{}}}'
  const merged = JSON.parse(mergeEntry(before, client, 'crow', entryFor(client, connection, 'http')))
  assert.deepEqual(merged.mcpServers.crow, {
    url: connection.url,
    headers: { Authorization: 'Bearer crow_local_example' },
  })
  assert.deepEqual(Object.keys(merged.mcpServers), ['crow', 'z'])
})

test('a file that is not plain JSON of the right shape is left alone', { timeout }, () => {
  const client = clientNamed('vscode')
  const entry = entryFor(client, connection, 'http')
  for (const text of ['{ // comment\n}', '[]', 'null', '"x"', '{"servers": []}', '{"servers": {}', '{"servers": 1}']) {
    assert.throws(() => mergeEntry(text, client, 'crow', entry), { code: 'CLIENT_CONFIG_UNREADABLE' }, text)
  }
})

test('an empty, blank or absent file becomes a whole one, a byte order mark is no obstacle', { timeout }, () => {
  const client = clientNamed('gemini-cli')
  const entry = entryFor(client, connection, 'http')
  const fresh = mergeEntry(undefined, client, 'crow', entry)
  assert.equal(mergeEntry('', client, 'crow', entry), fresh)
  assert.equal(mergeEntry(' \n', client, 'crow', entry), fresh)
  assert.equal(JSON.parse(mergeEntry('\uFEFF{"a":1}', client, 'crow', entry)).a, 1)
})

test('VS Code is told to ask for the token, and never finds it in its file', { timeout }, () => {
  const client = clientNamed('vscode')
  const text = mergeEntry(undefined, client, 'crow', entryFor(client, connection, 'http'))
  assert.doesNotMatch(text, /crow_local_/)
  const merged = JSON.parse(text)
  assert.equal(merged.servers.crow.headers.Authorization, `Bearer \${input:${merged.inputs[0].id}}`)
  assert.equal(merged.inputs[0].password, true)
})

test('a client that only starts processes cannot be given a URL', { timeout }, () => {
  assert.throws(() => entryFor(clientNamed('claude-desktop'), connection, 'http'), { code: 'CLIENT_TRANSPORT' })
})

test('every character that is not ours stays: numbers no double holds, spacing, line breaks', { timeout }, () => {
  const client = clientNamed('vscode')
  const entry = entryFor(client, connection, 'http')
  const before =
    '{\r\n\t"big" : 12345678901234567890,\r\n\t"e": 1e400, "s": "{\\"}",\r\n\t"servers": {"a":{"n":0.10}},\r\n\t"inputs": [ ]\r\n}'
  const once = mergeEntry(before, client, 'crow', entry)
  assert.ok(
    once.startsWith(
      '{\r\n\t"big" : 12345678901234567890,\r\n\t"e": 1e400, "s": "{\\"}",\r\n\t"servers": {"a":{"n":0.10}',
    ),
  )
  assert.doesNotMatch(once, /[^\r]\n/)
  const parsed = JSON.parse(once)
  assert.deepEqual(parsed.servers.crow, entry.server)
  assert.deepEqual(parsed.inputs, entry.inputs)
  assert.equal(mergeEntry(once, client, 'crow', entry), once)
  const changed = mergeEntry(once, client, 'crow', { server: { url: 'x' }, inputs: [] })
  assert.deepEqual(JSON.parse(changed).servers.crow, { url: 'x' })
  assert.ok(changed.includes('12345678901234567890'))
})

test('whatever valid JSON there was, all of it but the entry reads as before', { timeout }, () => {
  const client = clientNamed('cursor')
  const entry = entryFor(client, connection, 'http')
  const servers = fc.dictionary(fc.string(), fc.jsonValue())
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      servers,
      fc.constantFrom(0, 2, '\t'),
      (rest, others, indent) => {
        const before = JSON.stringify({ ...rest, mcpServers: others }, null, indent)
        const text = mergeEntry(before, client, 'crow', entry)
        const expected: unknown = {
          ...JSON.parse(before),
          mcpServers: { ...JSON.parse(before).mcpServers, crow: entry.server },
        }
        assert.deepEqual(JSON.parse(text), expected)
        assert.equal(mergeEntry(text, client, 'crow', entry), text)
      },
    ),
  )
})

test('a list of prompts that is none is left alone', { timeout }, () => {
  const client = clientNamed('vscode')
  assert.throws(() => mergeEntry('{"inputs":{"a":1}}', client, 'crow', entryFor(client, connection, 'http')), {
    code: 'CLIENT_CONFIG_UNREADABLE',
  })
})
