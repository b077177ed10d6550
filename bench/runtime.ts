// What the tool runtime costs: calls with and without middlewares and observers, and compiling. `node bench/runtime.ts`
// prints one table (`--quick` with fewer calls); the bars are what the project promises. Each figure is processor time of the
// main thread, the best of several runs in one process, so that other work on the machine disturbs it little.
import Type from 'typebox'
import { compileCatalog, type Catalog, type CatalogOptions } from '../src/runtime/catalog.ts'
import type { Caller } from '../src/runtime/context.ts'
import { invoke } from '../src/runtime/invoke.ts'
import { defineMiddleware } from '../src/runtime/middleware.ts'
import type { PipelineObserver } from '../src/runtime/observe.ts'
import { defineServer } from '../src/runtime/server.ts'
import { defineTool, type Tool } from '../src/runtime/tool.ts'

interface Row {
  readonly what: string
  readonly figure: number
  readonly unit: 'µs' | 'ms'
  readonly bar: number | undefined
}

const CALLS = process.argv.includes('--quick') ? 20_000 : 100_000
const RUNS = 7
const caller: Caller = { id: 'bench', kind: 'local', scopes: new Set(['bench']) }
const pass = (count: number) =>
  Array.from({ length: count }, (_, index) => defineMiddleware(`pass-${index}`, (ctx, input, next) => next(ctx, input)))
const passAsync = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    defineMiddleware(`await-${index}`, async (ctx, input, next) => next(ctx, input)),
  )

/** Counts ends only, like audit and metrics. */
const auditor = (): PipelineObserver => {
  let bytes = 0
  return { id: 'audit', onEnd: (event) => void (bytes += event.bytes) }
}
/** Listens to everything, like a debugger or a tracer. */
const tracer = (id: string): PipelineObserver => {
  let events = 0
  const count = () => void events++
  return { id, onStart: count, onStep: count, onEnd: count }
}

function tool(name: string, use: Tool['use'] = [], handler: 'sync' | 'async' = 'sync'): Tool {
  return defineTool({
    name,
    summary: 'Adds a label.',
    description: 'Adds a label to a number.',
    effect: 'read',
    input: Type.Object({ id: Type.Integer({ minimum: 1 }), label: Type.Optional(Type.String({ maxLength: 200 })) }),
    use,
    handle:
      handler === 'sync'
        ? (input) => `${input.id} ${input.label ?? ''}`
        : async (input) => `${input.id} ${input.label ?? ''}`,
  })
}

function catalogOf(tools: readonly Tool[], options: CatalogOptions = {}): Catalog {
  return compileCatalog([defineServer({ id: 'bench', summary: 'Bench', tools })], options)
}

/** Milliseconds of processor time of this thread so far. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Microseconds per call: sequential awaits, names and inputs spread over all tools. */
async function callCost(catalog: Catalog): Promise<number> {
  const names = catalog.servers.flatMap((server) => server.tools.map((known) => known.publicName))
  const calls = names.map((name, index) => ({
    caller,
    server: 'bench',
    tool: name,
    params: { id: index + 1, label: 'x' },
  }))
  let best = Infinity
  for (let run = 0; run <= RUNS; run++) {
    const started = cpuMs()
    for (let count = 0; count < CALLS; count++) {
      const call = calls[count % calls.length]
      if (call !== undefined) await invoke(catalog, call)
    }
    if (run > 0) best = Math.min(best, ((cpuMs() - started) * 1000) / CALLS)
  }
  return best
}

function compileCost(make: () => void): number {
  let best = Infinity
  for (let run = 0; run < RUNS; run++) {
    const started = cpuMs()
    make()
    best = Math.min(best, cpuMs() - started)
  }
  return best
}

function many(count: number): Tool[] {
  return Array.from({ length: count }, (_, index) => tool(`action_${index}`))
}

async function us(what: string, catalog: Catalog, bar?: number): Promise<Row> {
  return { what, figure: await callCost(catalog), unit: 'µs', bar }
}

function ms(what: string, bar: number, make: () => void): Row {
  return { what, figure: compileCost(make), unit: 'ms', bar }
}

async function measure(): Promise<Row[]> {
  const thousand = many(1000)
  return [
    await us('call, no middleware', catalogOf([tool('add')]), 2.5),
    await us('call, 1 middleware', catalogOf([tool('add', pass(1))])),
    await us('call, 10 middlewares', catalogOf([tool('add', pass(10))]), 4),
    await us('call, async handler', catalogOf([tool('add', [], 'async')])),
    await us('call, async handler, 10 async middlewares', catalogOf([tool('add', passAsync(10), 'async')]), 4),
    await us('call, no middleware, audit observer', catalogOf([tool('add')], { observers: [auditor()] })),
    await us('call, 10 middlewares, audit observer', catalogOf([tool('add', pass(10))], { observers: [auditor()] })),
    await us(
      'call, no middleware, audit + debug + trace',
      catalogOf([tool('add')], { observers: [auditor(), tracer('debug'), tracer('trace')] }),
    ),
    await us('call when there are 100 actions', catalogOf(many(100))),
    await us('call when there are 1000 actions', catalogOf(thousand), 3.5),
    ms('compile 1000 actions', 100, () => void catalogOf(thousand)),
    ms('declare and compile 1000 actions', 100, () => void catalogOf(many(1000))),
    ms('compile 200 single-action parts of one server', 60, () => {
      void compileCatalog(
        thousand.slice(0, 200).map((known) => defineServer({ id: 'bench', summary: 'Bench', tools: [known] })),
      )
    }),
    ms('compile 200 single-action servers', 60, () => {
      void compileCatalog(
        thousand
          .slice(0, 200)
          .map((known, index) => defineServer({ id: `bench${index}`, summary: 'Bench', tools: [known] })),
      )
    }),
  ]
}

const rows = await measure()
const wide = Math.max(...rows.map((row) => row.what.length))
const lines = rows.map(({ what, figure, unit, bar }) => {
  const verdict = bar === undefined ? '' : `${figure <= bar ? 'ok  ' : 'OVER'} ≤ ${bar} ${unit}`
  return `| ${what.padEnd(wide)} | ${figure.toFixed(2).padStart(8)} ${unit} | ${verdict.padEnd(13)} |`
})
process.stdout.write(
  `| ${'case'.padEnd(wide)} | ${'figure'.padStart(11)} | ${'bar'.padEnd(13)} |\n| ${'-'.repeat(wide)} | ----------: | ------------- |\n${lines.join('\n')}\n`,
)
process.exitCode = rows.every((row) => row.bar === undefined || row.figure <= row.bar) ? 0 : 1
