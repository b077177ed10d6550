// What `crow doctor` says of external servers.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../../fixtures/loopback.ts'
import { crow, scratchFolder } from './crow.ts'

const timeout = 60_000

interface Check {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly fix?: string
}

test(
  'doctor names each entry that is not well, each missing program, and a file that others can change',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const data = join(home, 'data')
    const env = {
      CROW_DATA_DIR: data,
      PORT: String(await freePort()),
      TRELLO_API_KEY: 'k-canary',
      TRELLO_TOKEN: 't-canary',
    }
    const external = async (): Promise<Check[]> => {
      const { out } = await crow({ home, env }, ['doctor', '--json'])
      assert.ok(!out.includes('canary'))
      const { checks }: { checks: Check[] } = JSON.parse(out)
      return checks.filter(({ name }) => name === 'external')
    }
    mkdirSync(data, { mode: 0o700 })
    const file = join(data, 'servers.json')
    const entries = {
      good: { command: process.execPath },
      gone: { command: 'npx', env: { PATH: '/nowhere' } },
      lost: { command: 'run', env: { KEY: '${MISSING}' } },
      odd: { url: 'https://a.example', extra: 'canary' },
    }
    writeFileSync(file, JSON.stringify({ mcpServers: entries }), { mode: 0o600 })
    for (const isStored of [false, true]) {
      if (isStored) await crow({ home, env }, ['token', 'create'])
      const [first, ...rest] = await external()
      assert.deepEqual([first?.status, first?.message], ['ok', 'gone, good, odd'])
      assert.ok(rest.every(({ status }) => status === 'warn'))
      const said = rest.map(({ message, fix }) => `${message} → ${fix}`).join('\n')
      assert.match(said, /^lost env\.KEY needs the variable MISSING, which is not set → .*servers disable lost/m)
      assert.match(said, /^trello is not started: .*--accept-unverified/m)
      assert.match(said, /^odd: extra is kept, and has no effect/m)
      assert.match(said, /^gone needs npx, which is not found → Install Node\.js/m)
      assert.equal(rest.length, 4)
    }
    chmodSync(file, 0o666)
    assert.deepEqual(
      (await external())
        .filter(({ status }) => status === 'fail')
        .map(({ message }) => /others? users|other users/.test(message)),
      [true],
    )
  },
)
