import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { announcePresence, livingGateway } from '../../../src/upstream/presence.ts'
import { bootId, startedAt } from '../../../src/upstream/process-group.ts'
import { startApp } from '../../fixtures/running-app.ts'
import { until } from '../../fixtures/until.ts'

const timeout = 20_000

test('a gateway that listens is found, its key lets in, and both end with it', { timeout }, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  const { dataDir } = running.app.config
  const file = join(dataDir, 'run', 'gateway.json')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const found = livingGateway(dataDir)
  assert.ok(found !== undefined)
  assert.equal(found.pid, process.pid)
  assert.equal(found.address, running.origin)
  const ask = async (key: string): Promise<number> => {
    const answer = await fetch(`${found.address}/memory/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'server/discover',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'server/discover',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    })
    await answer.text()
    return answer.status
  }
  assert.equal(await ask(found.key), 200)
  assert.equal(await ask(`${found.key.slice(0, -1)}_`), 401)
  assert.equal(await ask(found.key.slice(0, -5)), 401)
  await running.app.close()
  assert.equal(existsSync(file), false)
})

test('no table and no list of tokens knows the key', { timeout }, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  const { processKey } = running.app.tokens
  assert.deepEqual(
    running.app.tokens.list().map(({ name }) => name),
    ['test'],
  )
  const { databasePath } = running.app.config
  for (const file of [databasePath, `${databasePath}-wal`])
    assert.ok(!readFileSync(file, 'latin1').includes(processKey))
})

test('what a killed gateway left, or others may read or have written, says nothing', { timeout }, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  const { dataDir } = running.app.config
  const file = join(dataDir, 'run', 'gateway.json')
  const whole = readFileSync(file, 'utf8')
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  const gone = { ...JSON.parse(whole), pid: child.pid }
  writeFileSync(file, JSON.stringify(gone))
  assert.equal(livingGateway(dataDir), undefined)
  // The number lives, but is another process by now.
  writeFileSync(file, JSON.stringify({ ...JSON.parse(whole), started: '1' }))
  assert.equal(livingGateway(dataDir), undefined)
  for (const text of ['', '{', 'null', '{"pid":1}']) {
    writeFileSync(file, text)
    assert.equal(livingGateway(dataDir), undefined, text)
  }
  for (const address of [
    'http://192.0.2.77:1',
    'http://example.org',
    'https://127.0.0.1:1',
    'http://x@127.0.0.1',
    'no',
  ]) {
    writeFileSync(file, JSON.stringify({ ...JSON.parse(whole), address }))
    assert.equal(livingGateway(dataDir), undefined, address)
  }
  writeFileSync(file, whole)
  assert.ok(livingGateway(dataDir) !== undefined)
  chmodSync(file, 0o644)
  assert.equal(livingGateway(dataDir), undefined)
})

test('of two gateways the one that was there first stays the one that is asked', { timeout }, async (t) => {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 20_000)'])
  t.after(() => child.kill())
  const running = await startApp()
  t.after(() => running.close())
  const { dataDir } = running.app.config
  mkdirSync(join(dataDir, 'other', 'run'), { recursive: true })
  const folder = join(dataDir, 'other')
  const started = `${bootId()} ${startedAt(child.pid ?? 0)}`
  const first = { pid: child.pid, started, address: 'http://127.0.0.1:1', key: 'k' }
  writeFileSync(join(folder, 'run', 'gateway.json'), JSON.stringify(first), { mode: 0o600 })
  announcePresence(folder, { address: 'http://127.0.0.1:2', key: 'other' })()
  assert.equal(livingGateway(folder)?.key, 'k')
})

test('a gateway takes the place of one that was killed', { timeout }, async (t) => {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 20_000)'])
  t.after(() => child.kill())
  const running = await startApp()
  t.after(() => running.close())
  const { dataDir } = running.app.config
  const own = livingGateway(dataDir)
  assert.ok(own !== undefined)
  const other = { ...own, pid: child.pid, started: `${bootId()} ${startedAt(child.pid ?? 0)}`, key: 'other' }
  writeFileSync(join(dataDir, 'run', 'gateway.json'), JSON.stringify(other), { mode: 0o600 })
  assert.equal(livingGateway(dataDir)?.key, 'other')
  child.kill('SIGKILL')
  await until(() => livingGateway(dataDir)?.key === own.key)
})
