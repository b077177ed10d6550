// Standard input and output: real clients of both lines, both eras, and an orderly end.
import assert from 'node:assert/strict'
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { test, type TestContext } from 'node:test'
import { Client as ModernClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { at, call, initialize, modern } from '../fixtures/rpc.ts'

const TIMEOUT = { timeout: 60_000 }
const INFO = { name: 'test-client', version: '1.0.0' }
const SCRIPT = fileURLToPath(new URL('../fixtures/stdio-wire.ts', import.meta.url))

const command = (eras: string) => ({ command: process.execPath, args: [SCRIPT, eras] })
const textOf = (result: object): unknown => at(result, 'content.0.text')

interface Child {
  readonly process: ChildProcessWithoutNullStreams
  /** Writes one message per argument. */
  send(...messages: unknown[]): void
  /** The first message on the output that passes. */
  until(passes: (message: unknown) => boolean): Promise<unknown>
  /** Every line written so far. */
  lines(): string[]
}

function start(t: TestContext, eras = 'both'): Child {
  const child = spawn(process.execPath, [SCRIPT, eras], { stdio: 'pipe' })
  t.after(() => child.kill('SIGKILL'))
  let text = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk))
  const lines = (): string[] => text.split('\n').slice(0, -1)
  return {
    process: child,
    lines,
    send: (...messages) => void child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join('')),
    async until(passes) {
      for (let turn = 0; turn < 1_000; turn++) {
        const found = lines()
          .map((line): unknown => JSON.parse(line))
          .find(passes)
        if (found !== undefined) return found
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return assert.fail(`no such message. Output: ${text} Errors: ${errors}`)
    },
  }
}

const hasId = (id: unknown) => (message: unknown) => at(message, 'id') === id
const isMethod = (method: string) => (message: unknown) => at(message, 'method') === method
const echo = (text: string, id: unknown) => call('tools/call', { name: 'echo', arguments: { text } }, id)
const change = (id: unknown) => call('tools/call', { name: 'change', arguments: {} }, id)
const modernBody = (...sent: Parameters<typeof modern>): unknown => modern(...sent).body

test('the older client calls tools over stdio and is asked before something is destroyed', TIMEOUT, async (t) => {
  const client = new OldClient(INFO, { capabilities: {} })
  t.after(() => client.close())
  await client.connect(new OldTransport({ ...command('both'), stderr: 'inherit' }))
  assert.equal((await client.listTools()).tools.length, 5)
  assert.equal(textOf(await client.callTool({ name: 'echo', arguments: { text: 'Zürich' } })), 'Zürich')
  assert.equal((await client.listResources()).resources.length, 1)
})

test(
  'the newer client chooses the newer era over stdio, or the older one where only that is served',
  TIMEOUT,
  async (t) => {
    const cases = [
      ['both', 'auto', '2026-07-28'],
      ['both', { pin: '2026-07-28' }, '2026-07-28'],
      ['both', 'legacy', '2025-11-25'],
      ['2025', 'auto', '2025-11-25'],
      ['2026', 'auto', '2026-07-28'],
    ] as const
    for (const [eras, mode, version] of cases) {
      const client = new ModernClient(INFO, { capabilities: { elicitation: {} }, versionNegotiation: { mode } })
      t.after(() => client.close())
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirm: true } }))
      await client.connect(new ModernTransport({ ...command(eras), stderr: 'inherit' }))
      assert.equal(client.getNegotiatedProtocolVersion(), version, `${eras} ${JSON.stringify(mode)}`)
      assert.equal(textOf(await client.callTool({ name: 'echo', arguments: { text: eras } })), eras)
      assert.equal(textOf(await client.callTool({ name: 'forget', arguments: { id: 5 } })), 'forgot 5')
      await client.close()
    }
  },
)

test(
  'everything read before the end of the input is answered, and then the process ends by itself',
  TIMEOUT,
  async (t) => {
    const child = start(t)
    const exited = once(child.process, 'exit')
    child.send(
      initialize(),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      call('tools/call', { name: 'wait', arguments: { name: 'w' } }, 'w'),
      echo('go', 'e'),
    )
    child.process.stdin.end()
    assert.deepEqual(await exited, [0, null])
    const ids = child.lines().map((line) => at(JSON.parse(line), 'id'))
    assert.deepEqual(new Set(ids), new Set(['init', 'w', 'e']))
  },
)

test('SIGTERM lets a call in flight finish and ends subscriptions with their result', TIMEOUT, async (t) => {
  const child = start(t)
  child.send(modernBody('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 'sub' }))
  await child.until(isMethod('notifications/subscriptions/acknowledged'))
  child.send(
    modernBody('tools/call', { name: 'wait', arguments: { name: 'w' } }, { id: 'w', meta: { progressToken: 1 } }),
  )
  await child.until(isMethod('notifications/progress'))
  const exited = once(child.process, 'exit')
  child.send(modernBody('tools/call', { name: 'echo', arguments: { text: 'go' } }, { id: 'e' }))
  child.process.kill('SIGTERM')
  assert.deepEqual(await exited, [0, null])
  for (const id of ['w', 'e', 'sub'])
    assert.ok(
      child.lines().some((line) => hasId(id)(JSON.parse(line))),
      id,
    )
})

test('a watched resource is announced in both eras to a client that asked, and only then', TIMEOUT, async (t) => {
  const old = start(t)
  old.send(initialize())
  await old.until(hasId('init'))
  old.send(change(1))
  await old.until(hasId(1))
  assert.ok(!old.lines().some((line) => line.includes('resources/updated')))
  old.send(call('resources/subscribe', { uri: 'wire://note' }, 2), change(3))
  await old.until(isMethod('notifications/resources/updated'))

  const fresh = start(t)
  fresh.send(
    modernBody('subscriptions/listen', { notifications: { resourceSubscriptions: ['wire://note'] } }, { id: 'sub' }),
  )
  await fresh.until(isMethod('notifications/subscriptions/acknowledged'))
  fresh.send(modernBody('tools/call', { name: 'change', arguments: {} }, { id: 1 }))
  const note = await fresh.until(isMethod('notifications/resources/updated'))
  assert.ok(JSON.stringify(note).includes('"io.modelcontextprotocol/subscriptionId":"sub"'))
})

test('garbage on the input is skipped, and the other era is refused in words where it is off', TIMEOUT, async (t) => {
  const child = start(t, '2026')
  child.process.stdin.write('this is not JSON\n')
  child.send(initialize())
  assert.equal(at(await child.until(hasId('init')), 'error.code'), -32022)
  child.send(modernBody('tools/list', {}, { id: 'l' }))
  assert.ok(Array.isArray(at(await child.until(hasId('l')), 'result.tools')))

  const old = start(t, '2025')
  old.send(modernBody('server/discover', {}, { id: 'd' }))
  assert.equal(at(await old.until(hasId('d')), 'error.code'), -32601)
  old.send(initialize())
  assert.equal(at(await old.until(hasId('init')), 'result.protocolVersion'), '2025-11-25')
})
