// A start that would leave the gateway open does not happen, and says why in one sentence per reason.
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { buildApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'

const timeout = 60_000

/** Starts with these settings; closes again whatever came up. */
async function start(t: TestContext, env: Record<string, string>, dataDir = folder(t)): Promise<void> {
  const app = await buildApp(loadConfig({ CROW_DATA_DIR: dataDir, CROW_LOG_LEVEL: 'silent', PORT: '0', ...env }))
  await app.close()
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'crow-start-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test(
  'without tokens it starts on this machine only, with no public address and not in production',
  { timeout },
  async (t) => {
    await start(t, { CROW_NO_AUTH: '1' })
    await assert.rejects(start(t, { CROW_NO_AUTH: '1', CROW_GATEWAY_URL: 'https://crow.example' }), /public address/)
    await assert.rejects(start(t, { CROW_NO_AUTH: '1', NODE_ENV: 'production' }), /NODE_ENV=production/)
    for (const host of ['0.0.0.0', '::', '192.168.1.5'])
      await assert.rejects(start(t, { CROW_NO_AUTH: '1', CROW_GATEWAY_BIND: host }), /loopback/, host)
  },
)

test('it does not listen to other machines without knowing the address they use', { timeout }, async (t) => {
  await assert.rejects(start(t, { CROW_GATEWAY_BIND: '0.0.0.0' }), /CROW_GATEWAY_URL/)
})

test('a weak key, an exposed key file and a set-up token that can be guessed are refused', { timeout }, async (t) => {
  for (const key of ['secret', 'a'.repeat(43), '0'.repeat(64)])
    await assert.rejects(start(t, { CROW_KEY: key }), /CROW_KEY/)
  await assert.rejects(start(t, { CROW_SETUP_TOKEN: 'letmein' }), /CROW_SETUP_TOKEN is too weak/)
  const dataDir = folder(t)
  await start(t, {}, dataDir)
  const file = join(dataDir, 'crow.key')
  for (const mode of [0o644, 0o640, 0o604, 0o606]) {
    chmodSync(file, mode)
    await assert.rejects(start(t, {}, dataDir), /Other users of this machine can read or change the key/)
  }
  chmodSync(file, 0o600)
  await start(t, {}, dataDir)
  writeFileSync(file, 'weak\n')
  await assert.rejects(start(t, {}, dataDir), /crow\.key/)
})

test('there is no password before one is set, and a weak one is not taken', { timeout }, async (t) => {
  const app = await buildApp(loadConfig({ CROW_DATA_DIR: folder(t), CROW_LOG_LEVEL: 'silent', PORT: '0' }))
  t.after(() => app.close())
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  const send = (url: string, form: Record<string, string>) =>
    app.inject({ method: 'POST', url, headers, payload: new URLSearchParams(form).toString() })
  const code = await app.operators.makeSetupCode()
  for (const password of ['short', 'password1234', 'aaaaaaaaaaaaaaaa', 'qwertyuiop1234567890', 'P@ssw0rd12345']) {
    const answer = await send('/setup', { code, password, repeated: password })
    assert.equal(answer.headers['set-cookie'], undefined, password)
  }
  assert.equal(app.operators.exists(), false)
  for (const password of ['', 'admin', 'crow', 'changeme', 'password'])
    assert.equal((await send('/login', { password })).headers['set-cookie'], undefined, password)
})
