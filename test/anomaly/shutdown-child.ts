// A gateway of its own process for the shutdown tests: two tools beside its own, and a list of every request it let in, written
// before anything else looks at the request. Ends as `crow serve` does.
import { appendFileSync } from 'node:fs'
import Type from 'typebox'
import { buildApp } from '../../src/app.ts'
import { leaveInTime } from '../../src/cli/leaving.ts'
import { untilSignal } from '../../src/cli/signals.ts'
import { loadConfig } from '../../src/config.ts'
import { environment } from '../../src/config/process-environment.ts'
import { defineServer } from '../../src/runtime/server.ts'
import { defineTool } from '../../src/runtime/tool.ts'

const [list = ''] = process.argv.slice(2)

const work = defineTool({
  name: 'work',
  summary: 'Works for a moment',
  description: 'Answers after some milliseconds, whether or not it is told to stop.',
  input: Type.Object({ ms: Type.Integer({ minimum: 0, maximum: 60_000 }) }),
  effect: 'read',
  async handle({ ms }) {
    await new Promise((resolve) => setTimeout(resolve, ms))
    return `worked ${ms}`
  },
})
const load = defineServer({ id: 'load', summary: 'Work for a load test.', prefix: '', tools: [work] })

const ended = new AbortController()
const asked = untilSignal(ended.signal)
const app = await buildApp(loadConfig(environment()), { servers: [load] })
app.server.prependListener('request', ({ headers }) => {
  const id = headers['x-load-id']
  if (typeof id === 'string') appendFileSync(list, `${id}\n`)
})
const { secret } = await app.tokens.create({ name: 'load' })
await app.listen({ host: '127.0.0.1', port: 0 })
const address = app.server.address()
const port = typeof address === 'object' ? address?.port : undefined
process.stdout.write(`${JSON.stringify({ port, token: secret })}\n`)
await asked
leaveInTime(app)
const closing = app.close()
// On the next turn the first stage has run: whatever is asked after this line was read is asked in the drain.
setImmediate(() => process.stdout.write(`${JSON.stringify({ draining: true })}\n`))
await closing
process.stdout.write(`${JSON.stringify({ closed: true, open: app.database.sqlite.open })}\n`)
process.exit(0)
