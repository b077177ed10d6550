// Servers of an AI client are taken over: secrets sealed, consent not, what is Crow itself or no server left out.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { crow, scratchFolder } from './crow.ts'

const timeout = 120_000

test('the servers of Cursor become servers of every client', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const data = join(home, 'data')
  const run = async (...args: string[]) => await crow({ home, env: { CROW_DATA_DIR: data } }, ['servers', ...args])
  mkdirSync(join(home, '.cursor'))
  const theirs = `{ // mine
    "mcpServers": {
      "My Server": { "command": "npx", "args": ["-y", "pkg"], "env": { "API_KEY": "k-canary", "LEVEL": 3 }, "autoApprove": ["x"], },
      "wiki": { "url": "https://wiki.example/mcp", "headers": { "Authorization": "Bearer t-canary" } },
      "my_server": { "command": "other" },
      "crow": { "url": "http://127.0.0.1:3001/memory/mcp" },
      "own": { "command": "/opt/crow/bin/crow", "args": ["stdio", "memory"] },
      "self": { "url": "http://localhost:3001/mcp" },
      "odd": { "command": "x", "env": { "T": "\${input:token}" } },
    } }`
  writeFileSync(join(home, '.cursor', 'mcp.json'), theirs)
  const asked = await run('import', 'cursor', '--json')
  assert.deepEqual(
    JSON.parse(asked.out)
      .filter(({ added }: { added: boolean }) => added)
      .map(({ id }: { id: string }) => id),
    ['wiki'],
  )
  const taken = await run('import', 'cursor', '--yes')
  assert.equal(taken.status, 0)
  const said = [
    /^my-server is added\.$/,
    /^wiki is left out: there is one of this id already$/,
    /^my_server is left out: there is one of this id already$/,
    /^crow is left out: its name is reserved/,
    /^own is left out: it is Crow itself$/,
    /^self is left out: self url leads to this gateway itself$/,
    /^odd is left out: odd env\.T holds \$\{input:token\}/,
  ]
  const lines = taken.out.trimEnd().split('\n')
  assert.equal(lines.length, said.length)
  for (const [at, sentence] of said.entries()) assert.match(lines[at] ?? '', sentence)
  const text = readFileSync(join(data, 'servers.json'), 'utf8')
  const { mcpServers } = JSON.parse(text)
  assert.deepEqual(mcpServers['my-server'], {
    command: 'npx',
    args: ['-y', 'pkg'],
    env: { API_KEY: '${secret:my-server/API_KEY}', LEVEL: 3 },
  })
  assert.deepEqual(mcpServers.wiki.headers, { Authorization: '${secret:wiki/Authorization}' })
  for (const shown of [text, asked.out, asked.err, taken.out, taken.err]) assert.doesNotMatch(shown, /canary/)
  assert.equal(readFileSync(join(home, '.cursor', 'mcp.json'), 'utf8'), theirs)
  assert.match((await run('import', 'cursr')).err, /did you mean cursor\?/)
  assert.equal((await run('import', 'windsurf')).out, 'Windsurf has no server.\n')
  writeFileSync(join(home, 'bad.json'), '{"mcpServers": {"a": "k-canary')
  const bad = await run('import', 'cursor', '--file', join(home, 'bad.json'))
  assert.deepEqual([bad.status, /is not JSON/.test(bad.err), bad.err.includes('canary')], [1, true, false])
})
