// An entry that works wherever its client starts it: what this installation is told beside its data folder goes with it.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { crow, scratchFolder } from './crow.ts'

const timeout = 60_000

test(
  'a process is told what is not at its default here, but no secret and nothing that loosens',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const run = async (env: Record<string, string>, ...args: string[]) =>
      await crow({ home, env }, ['mcp-config', 'claude-desktop', ...args])
    const entry = async (env: Record<string, string>, ...args: string[]) =>
      JSON.parse((await run(env, '--json', ...args)).out).server
    assert.ok(!('env' in (await entry({}))))
    assert.deepEqual(
      (
        await entry({
          CROW_DEVICE_ID: 'my laptop',
          CROW_PROJECT_ID: '7',
          CROW_TZ: 'Europe/Madrid',
          CROW_DB_PATH: join(home, 'other.db'),
          CROW_ERAS: 'BOTH',
          CROW_CONFIRM: 'off',
          CROW_CONTEXT_WRITES: 'free',
          PORT: '4001',
          HTTPS_PROXY: 'http://proxy.example',
        })
      ).env,
      {
        CROW_DB_PATH: join(home, 'other.db'),
        CROW_ERAS: 'both',
        CROW_TZ: 'Europe/Madrid',
        CROW_DEVICE_ID: 'my laptop',
        CROW_PROJECT_ID: '7',
      },
    )
    assert.deepEqual((await entry({ CROW_PROJECT_ID: '7' }, '--project', '8')).env, { CROW_PROJECT_ID: '8' })
    const elsewhere = await entry({ CROW_DATA_DIR: join(home, 'elsewhere') })
    assert.deepEqual(elsewhere.args.slice(-2), ['--data-dir', join(home, 'elsewhere')])
    const key = 'A'.repeat(43)
    const keyed = await run({ CROW_KEY: key })
    assert.match(keyed.err, /CROW_KEY is a secret and not in the entry: the client has to have it in its environment\./)
    assert.ok(!keyed.out.includes(key))
    const written = await run({ CROW_DEVICE_ID: 'lap', CROW_KEY: key }, '--write', '--file', join(home, 'c.json'))
    assert.match(written.err, /CROW_KEY is a secret/)
  },
)

test('over HTTP the place travels in headers', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const env = { CROW_DEVICE_ID: 'Ána\u2019s phone', CROW_PROJECT_ID: '7' }
  const run = async (client: string, ...args: string[]) => await crow({ home, env }, ['mcp-config', client, ...args])
  const { server } = JSON.parse((await run('cursor', '--json', '--token', 'x')).out)
  assert.deepEqual(server.headers, {
    Authorization: 'Bearer x',
    'Crow-Device': `=?base64?${Buffer.from(env.CROW_DEVICE_ID).toString('base64')}?=`,
    'Crow-Project': '7',
  })
  assert.match(
    (await run('claude-code', '--token', 'x')).out,
    / --header "Crow-Device: =\?base64\?[^"]+" --header "Crow-Project: 7"$/m,
  )
  const plain = await crow({ home }, ['mcp-config', 'cursor', '--json', '--token', 'x'])
  assert.deepEqual(Object.keys(JSON.parse(plain.out).server.headers), ['Authorization'])
})
