// `crow ledger`: what a gateway that runs has counted, for people and for programs, and the lists counted in tokens.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { openDatabase } from '../../../src/db/client.ts'
import { ledgerWriter, type LedgerLine } from '../../../src/db/context-ledger.ts'
import { dayOf, totalOf } from '../../../src/runtime/ledger/tally.ts'
import { at, call, modern, rpc, type Target } from '../../fixtures/rpc.ts'
import { crow, scratchFolder, serve } from './crow.ts'

const timeout = 90_000
const BYTES = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

const textBytes = (result: unknown): number => Buffer.byteLength(String(at(result, 'content.0.text')))

const today = dayOf(Date.now())
const line = (more: Partial<LedgerLine>): LedgerLine => ({
  day: today,
  caller: 'local:1',
  client: 'laptop',
  mount: 'router',
  ...totalOf([]),
  ...more,
})

/** A data folder with these lines. */
async function filled(home: string, lines: readonly LedgerLine[]): Promise<string> {
  const dataDir = join(home, 'data')
  const db = await openDatabase({ dataDir })
  await db.write(() => ledgerWriter(db).add(lines))
  await db.close()
  return dataDir
}

async function listOf(to: Target, mount: string): Promise<unknown> {
  return at((await rpc(to, { path: `/${mount}/mcp`, ...modern('tools/list') })).messages[0], 'result.tools')
}

const rowsOf = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => JSON.parse(row))

test(
  'what a gateway counted is on the disk a moment later, and a kill loses only what came since',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const made = await crow({ home }, ['token', 'create', 'laptop'])
    const token = /crow_local_[\w-]{43}/.exec(made.out)?.[0]
    assert.ok(token, made.out)
    const gateway = await serve(t, { home })
    const to = { port: gateway.port, token }
    const router = await listOf(to, 'router')
    const memory = await listOf(to, 'memory')
    const ledger = async (...more: string[]) => rowsOf((await crow({ home }, ['ledger', '--json', ...more])).out)
    for (let look = 0; look < 20 && (await ledger()).length < 2; look++) continue
    await listOf(to, 'router')
    await gateway.end('SIGKILL')
    const rows = await ledger()
    // The list before the kill is in it only on a machine that took a second for it.
    const lists = Number(rows[1]?.['lists'])
    assert.ok(lists === 1 || lists === 2)
    assert.deepEqual(
      rows.map((row) => [row['client'], row['mount'], row['listBytes'], row['directBytes'], row['savedBytes']]),
      [
        ['laptop', 'memory', BYTES(memory), BYTES(memory), 0],
        ['laptop', 'router', BYTES(router), BYTES(memory), BYTES(memory) - BYTES(router)].map((value) =>
          typeof value === 'number' ? value * lists : value,
        ),
      ],
    )
    const exact = (await ledger('--exact')).flatMap((row) => ('exact' in row ? [row['exact']] : []))
    const expected = (mount: string, tools: unknown) => ({
      mount,
      tools: Array.isArray(tools) ? tools.length : 0,
      bytes: BYTES(tools),
      tokens: encode(JSON.stringify(tools)).length,
    })
    assert.deepEqual(exact, [expected('memory', memory), expected('router', router), expected('all direct', memory)])
    const shown = await crow({ home }, ['ledger', '--exact'])
    assert.match(shown.out, new RegExp(`^router +\\d+ +${BYTES(router)} +${expected('', router).tokens} `, 'm'))
  },
)

test('days and clients are rows with a total, and a net loss is shown as one', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const dataDir = await filled(home, [
    line({ lists: 1, listBytes: 1000, directBytes: 9000, discovers: 1, discoverBytes: 400 }),
    line({ mount: 'memory', lists: 2, listBytes: 5000, directBytes: 5000 }),
    line({ day: today - 6, caller: 'oauth:3', client: 'Claude', errors: 2, errorBytes: 800 }),
    line({ day: today - 7, caller: 'oauth:3', client: 'Claude', lists: 1, listBytes: 1, directBytes: 1 }),
  ])
  const run = async (...args: string[]) => {
    const { status, out, err } = await crow({ home }, ['ledger', '--data-dir', dataDir, ...args])
    assert.equal(status, 0, err)
    return out.trim().split('\n')
  }
  const [head = '', ...rows] = await run()
  assert.match(head, /^day +client +lists +sent +direct +discover +errors +saved +sent tokens +saved tokens$/)
  assert.deepEqual(
    rows.map((row) => row.split(/ +/).slice(1, 8)),
    [
      ['laptop', '3', '6000', '14000', '400', '0', '7600'],
      ['Claude', '0', '0', '0', '0', '800', '-800'],
      ['3', '6000', '14000', '400', '800', '6800', rows[2]?.split(/ +/)[7] ?? ''],
    ],
  )
  assert.match(rows[1] ?? '', / 0 +~-\d+$/)
  assert.equal((await run('--days', '8')).length, 5)
  assert.deepEqual((await run('--client', 'CLAUDE', '--days', '30')).length, 4)
  assert.deepEqual(await run('--client', 'nobody'), ['No list of tools was sent in these days.'])
  const [json = {}] = rowsOf((await run('--json', '--client', 'oauth:3')).join('\n'))
  assert.equal(json['savedBytes'], -800)
  assert.ok(Number(at(json, 'estimatedTokens.saved')) < 0)
  assert.match(String(json['day']), /^\d{4}-\d\d-\d\d$/)
  const help = (await crow({ home }, ['ledger', '--help'])).out
  assert.doesNotMatch(help, /task|success|better/i)
})

test('a name that a client chose cannot write to the terminal, and no data is told as such', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const dataDir = await filled(home, [line({ lists: 1, client: '\u{1b}[2Jgone\u{202e}\u{9b}2J\nforged row' })])
  for (const more of [[], ['--json']]) {
    const { out } = await crow({ home }, ['ledger', '--data-dir', dataDir, ...more])
    assert.match(out, /gone/)
    for (const control of ['\u{1b}', '\u{202e}', '\u{9b}']) assert.ok(!out.includes(control))
    assert.equal(out.trim().split('\n').length, more.length === 0 ? 3 : 1)
  }
  const missing = await crow({ home }, ['ledger', '--data-dir', join(home, 'nowhere')])
  assert.match(missing.err, /no data/)
  assert.notEqual(missing.status, 0)
})

test(
  'a process that a client starts counts by the name of the client, and what it costs to switch tools on',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const ask = async (server: string, name: string, requests: readonly (readonly [string, object])[]) => {
      const clientInfo = { name, version: '1' }
      const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
      const messages = [call('initialize', opening, 'init'), { jsonrpc: '2.0', method: 'notifications/initialized' }]
      const lines = [...messages, ...requests.map(([method, params], index) => call(method, params, index))]
      const input = lines.map((message) => `${JSON.stringify(message)}\n`).join('')
      const { out } = await crow({ home }, ['stdio', server], input)
      const answers = rowsOf(out)
      return requests.map((_, index) => answers.find(({ id }) => id === index)?.['result'])
    }
    const discover = ['tools/call', { name: 'crow_discover', arguments: {} }] as const
    const [list, found] = await ask('router', 'claude-code', [['tools/list', {}], discover])
    const [core, switched] = await ask('core', 'cursor', [
      ['tools/list', {}],
      ['tools/call', { name: 'crow_server_status', arguments: {} }],
    ])
    const rows = rowsOf((await crow({ home }, ['ledger', '--json'])).out)
    const columns = ['caller', 'client', 'mount', 'lists', 'listBytes', 'discovers', 'discoverBytes'] as const
    assert.deepEqual(
      rows.map((row) => columns.map((column) => row[column])),
      [
        ['stdio', 'claude-code', 'router', 1, BYTES(at(list, 'tools')), 1, textBytes(found)],
        ['stdio', 'cursor', 'core', 1, BYTES(at(core, 'tools')), 1, textBytes(switched)],
      ],
    )
    // What core could show is what the router stands for.
    assert.equal(rows[0]?.['directBytes'], rows[1]?.['directBytes'])
  },
)
