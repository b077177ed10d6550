// How long the production bundle takes to listen on an empty data folder, and what it weighs ten seconds later.
import { setTimeout as delay } from 'node:timers/promises'
import { median } from './http/load.ts'
import { Server, temporaryFolder } from './http/process.ts'
import type { Row } from './table.ts'

const STARTS = 10
const SETTLE_MS = 10_000
const READY_MS_MAX = 450
const RSS_MB_MAX = 100

/** @param bundle path of the bundled `main.js` */
export async function startSection(bundle: string): Promise<Row[]> {
  const readyMs: number[] = []
  const rssMb: number[] = []
  for (let start = 0; start < STARTS; start++) {
    const server = await Server.start({
      args: [bundle, 'serve'],
      env: { CROW_DATA_DIR: temporaryFolder(), PORT: '0' },
      everyCore: true,
    })
    readyMs.push(server.readyMs)
    await delay(SETTLE_MS)
    rssMb.push(server.rssMb())
    await server.stop()
    process.stderr.write(`start: ${start + 1} of ${STARTS}\n`)
  }
  const ready = median(readyMs)
  const rss = median(rssMb)
  return [
    {
      what: 'until listening, empty data folder',
      value: `${ready.toFixed(0)} ms (best ${Math.min(...readyMs).toFixed(0)})`,
      bar: `≤ ${READY_MS_MAX} ms`,
      ok: ready <= READY_MS_MAX,
    },
    {
      what: `RSS ${SETTLE_MS / 1000} s later`,
      value: `${rss.toFixed(1)} MB (least ${Math.min(...rssMb).toFixed(1)})`,
      bar: `≤ ${RSS_MB_MAX} MB`,
      ok: rss <= RSS_MB_MAX,
    },
  ]
}
