// The gateway as shipped, with one trivial tool beside its own servers and a gauge of the event loop that a message reads.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Type } from 'typebox'
import { PASSWORD } from '../../test/fixtures/sign-in.ts'
import { wireOf } from '../../plugins/mcp/index.ts'
import { buildApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { defineServer } from '../../src/runtime/server.ts'
import { defineTool } from '../../src/runtime/tool.ts'

const add = defineTool({
  name: 'add',
  summary: 'Add two numbers',
  description: 'Adds two numbers.',
  input: Type.Object({ a: Type.Number(), b: Type.Number() }),
  effect: 'read',
  handle: ({ a, b }) => String(a + b),
})
const bench = defineServer({ id: 'bench', summary: 'A trivial tool.', prefix: '', tools: [add] })

const app = await buildApp(loadConfig(), { servers: [bench] })
await app.listen({ host: app.config.host, port: app.config.port })
const address = app.server.address()
process.stdout.write(`listening http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`)

const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()

process.on('message', (message) => void answer(message))
process.on('SIGTERM', () => void stop())

async function answer(message: unknown): Promise<void> {
  if (message === 'token') {
    const { secret } = await app.tokens.create({ name: crypto.randomUUID() })
    process.send?.({ token: secret })
  }
  if (message === 'password') {
    await app.operators.setPassword(PASSWORD)
    process.send?.({})
  }
  if (message === 'sessions') process.send?.({ sessions: wireOf(app).sessions.size })
  if (message === 'heap') {
    // Twice: what the first one frees may have held more.
    for (let time = 0; time < 2; time++) collect()
    process.send?.({ heapBytes: process.memoryUsage().heapUsed })
  }
  if (message === 'delay') {
    // The gauge counts from its own interval; what is over that is delay.
    process.send?.({ delayP99Ms: Math.max(0, delay.percentile(99) / 1e6 - 5) })
    delay.reset()
  }
}

/** Collects what nothing holds any more. */
function collect(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

async function stop(): Promise<void> {
  await app.close()
  process.exit(0)
}
