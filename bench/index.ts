// `npm run bench`: one run, one table. Sections can be named: npm run bench -- http bearer router memory sessions upstream supervision start runtime discover
// `upstream` needs other gateways and runs when it is named: npm ci --prefix bench
// One more needs data of yours, so it runs only when named, with its folder: npm run bench -- retrieval FOLDER
import { spawnSync } from 'node:child_process'
import { loadavg } from 'node:os'
import { bearerSection } from './http/bearer.ts'
import { isPinned, leaveServerCore } from './http/process.ts'
import { hotSection } from './http/hot.ts'
import { routerSection } from './http/router.ts'
import { memorySection } from './memory.ts'
import { retrievalSection } from './retrieval-tools.ts'
import { sessionsSection } from './sessions.ts'
import { scriptSection } from './script.ts'
import { startSection } from './start.ts'
import { type Row, render, type Section } from './table.ts'
import { againAlone } from './upstream/alone.ts'
import { upstreamSection } from './upstream/cost.ts'
import { supervisionSection } from './upstream/supervision.ts'

/** Below node_modules: not committed, and packages are found from there. */
const OUTDIR = 'node_modules/.cache/crow-bench'

const sections: Readonly<Record<string, { readonly title: string; run(): Promise<Row[]> }>> = {
  http: { title: 'server CPU per request', run: async () => await hotSection(`${OUTDIR}/bench-server.js`) },
  bearer: { title: 'server CPU per request', run: async () => await bearerSection(`${OUTDIR}/bench-server.js`) },
  router: { title: 'router', run: async () => await routerSection(`${OUTDIR}/bench-server.js`) },
  memory: { title: 'memory over HTTP', run: async () => await memorySection(`${OUTDIR}/bench-server.js`) },
  sessions: { title: 'abandoned sessions', run: async () => await sessionsSection(`${OUTDIR}/bench-server.js`) },
  upstream: { title: 'external servers', run: async () => await upstreamSection(`${OUTDIR}/bench-server.js`) },
  supervision: {
    title: 'external servers',
    run: async () => await supervisionSection(`${OUTDIR}/bench-server.js`, `${OUTDIR}/main.js`),
  },
  start: { title: 'production bundle', run: async () => await startSection(`${OUTDIR}/main.js`) },
  runtime: { title: 'tool runtime', run: async () => await scriptSection('bench/runtime.ts') },
  discover: { title: 'finding a tool', run: async () => await scriptSection('bench/discover.ts') },
}

function bundle(): void {
  const build = spawnSync(
    process.execPath,
    ['build.mjs', '--outdir', OUTDIR, '--entry', 'bench-server=bench/http/server.ts'],
    {
      stdio: 'inherit',
    },
  )
  if (build.status !== 0) throw new Error('the bundle could not be built')
}

const asked = process.argv.slice(2)
const retrieval = asked.includes('retrieval') ? asked.splice(asked.indexOf('retrieval'), 2) : []
const [, folder] = retrieval
const unknown = asked.find((name) => !(name in sections))
if (retrieval.length === 1) {
  process.stderr.write('usage: npm run bench -- retrieval FOLDER\n')
  process.exitCode = 64
} else if (unknown !== undefined) {
  process.stderr.write(`there is no section ${unknown}; there is ${Object.keys(sections).join(', ')}\n`)
  process.exitCode = 2
} else {
  process.exitCode = (asked.includes('upstream') ? againAlone() : undefined) ?? (await runAsked())
}

/** @returns the exit code */
async function runAsked(): Promise<number> {
  const all = asked.length === 0 && folder === undefined
  // What needs programs of others runs only when it is named.
  const chosen = Object.entries(sections).filter(([name]) => (all && name !== 'upstream') || asked.includes(name))
  if (chosen.length > 0) {
    bundle()
    leaveServerCore()
  }
  const before = loadavg()[0] ?? 0
  const results: Section[] = []
  for (const [, section] of chosen) results.push({ title: section.title, rows: await section.run() })
  if (folder !== undefined) results.push({ title: 'retrieval', rows: await retrievalSection(folder) })
  const core = isPinned
    ? 'CPU per request with the server on a core of its own'
    : 'server and client sharing every core'
  process.stdout.write(
    `\nNode ${process.version}, ${core}, load ${before.toFixed(1)} before and ${(loadavg()[0] ?? 0).toFixed(1)} after\n\n`,
  )
  process.stdout.write(`${render(results)}\n`)
  return results.some(({ rows }) => rows.some(({ ok }) => ok === false)) ? 1 : 0
}
