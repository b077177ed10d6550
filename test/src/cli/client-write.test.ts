// Several servers of one client: an entry for each, written and taken back as one change.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { Link } from '../../../src/cli/client-link.ts'
import { undoWrite, writeEntries } from '../../../src/cli/client-write.ts'
import type { Terminal } from '../../../src/cli/terminal.ts'
import { aiClients } from '../../../src/clients/table.ts'
import { loadConfig } from '../../../src/config.ts'
import { scratchFolder } from './crow.ts'

const timeout = 60_000

function pipeTerminal(home: string): Terminal & { readonly said: string[] } {
  const said: string[] = []
  return {
    said,
    env: { HOME: home },
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    outIsTerminal: false,
    errIsTerminal: false,
    isInteractive: false,
    columns: 80,
    out: (line = '') => void said.push(line),
    err: (line) => void said.push(line),
    style: (_style, text) => text,
    ask: async () => await Promise.resolve(''),
  }
}

function linkTo(home: string, ids: readonly string[], transport: Link['transport']): Link {
  const client = aiClients.find(({ id }) => id === 'cursor')
  assert.ok(client !== undefined)
  const entries = ids.map((id) => ({
    server: { id, mount: `/${id}`, aliases: [] },
    connection: {
      name: `crow-${id}`,
      url: `http://127.0.0.1:3001/${id}/mcp`,
      token: undefined,
      command: ['/opt/crow', 'stdio', id] as const,
    },
  }))
  const config = loadConfig({ CROW_DATA_DIR: join(home, 'data'), HOME: home })
  return { client, config, transport, entries, carried: { env: {}, secrets: [] } }
}

test('each has an entry and a token of its own, and one step takes all of them back', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const file = join(home, 'mcp.json')
  const before = '{"mcpServers": {"other": {"command": "other"}}}'
  writeFileSync(file, before, { mode: 0o600 })
  const terminal = pipeTerminal(home)
  const link = linkTo(home, ['memory', 'projects'], 'http')
  await writeEntries(terminal, link, { file })
  assert.ok(terminal.said.includes(`crow-memory, crow-projects are written into ${file}.`), terminal.said.join('\n'))
  const { mcpServers } = JSON.parse(readFileSync(file, 'utf8'))
  assert.deepEqual(Object.keys(mcpServers), ['other', 'crow-memory', 'crow-projects'])
  const headers = ['crow-memory', 'crow-projects'].map((name) => mcpServers[name].headers.Authorization)
  assert.equal(new Set(headers).size, 2)
  for (const header of headers) assert.match(header, /^Bearer crow_local_/)
  await writeEntries(terminal, link, { file })
  assert.ok(terminal.said.includes(`${file} has these entries already.`))
  await undoWrite(terminal, link.client, { file })
  assert.equal(readFileSync(file, 'utf8'), before)
})

test('one that leads elsewhere keeps all of them out', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const file = join(home, 'mcp.json')
  const before = '{"mcpServers": {"crow-projects": {"command": "other"}}}'
  writeFileSync(file, before)
  const terminal = pipeTerminal(home)
  for (const transport of ['stdio', 'http'] as const)
    await assert.rejects(writeEntries(terminal, linkTo(home, ['memory', 'projects'], transport), { file }), {
      code: 'CLIENT_ENTRY_TAKEN',
    })
  assert.equal(readFileSync(file, 'utf8'), before)
  assert.deepEqual(readdirSync(home), ['mcp.json'])
})
