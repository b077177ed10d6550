// How soon a tool that appears at an external server is heard of, listed, found and callable, wherever a client is.
import { join, resolve as absolute } from 'node:path'
import { isMethod, piped } from '../../test/fixtures/external/piped.ts'
import { at, modern, open, openSession, type Stream } from '../../test/fixtures/rpc.ts'
import { startSse } from '../../test/fixtures/sse.ts'
import { temporaryFolder } from '../http/process.ts'
import type { Row } from '../table.ts'
import { eventually, Place } from './place.ts'

const TIMES = 8
const HEARD_MS_MAX = 100
const PATHS = ['/tools/mcp', '/router/mcp']

const told = (stream: Stream): number => stream.text().split('notifications/tools/list_changed').length - 1

async function listeners(place: Place): Promise<Stream[]> {
  const streams: Stream[] = []
  for (const path of PATHS) {
    const { headers } = await openSession(place.to, { path })
    streams.push(await open(place.to, { path, method: 'GET', headers }))
    const sent = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const stream = await open(place.to, { path, ...sent })
    await stream.until((message) => at(message, 'method') === 'notifications/subscriptions/acknowledged')
    streams.push(stream)
  }
  streams.push((await startSse(place.to, '/tools/sse')).stream)
  return streams
}

/** Told of so many changes of tools so far. */
type Told = () => number

/** The same to clients of `crow stdio tools`, which are processes of their own. */
async function stdioListeners(home: string, main: string, after: (step: () => void) => void): Promise<Told[]> {
  const clients = await Promise.all(
    (['2025', '2026'] as const).map(async (era) => await piped({ after }, { home, era, main: [main] })),
  )
  const [, newer] = clients
  newer?.send(modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 'sub' }).body)
  await newer?.until(isMethod('notifications/subscriptions/acknowledged'))
  const isTold = isMethod('notifications/tools/list_changed')
  return clients.map((client) => () => client.seen().filter(isTold).length)
}

/**
 * @param bundle of the bench server
 * @param main of the command
 */
export async function newsRows(bundle: string, main: string): Promise<Row[]> {
  const home = temporaryFolder()
  const place = new Place({ old: {}, fresh: { era: '2026' } }, join(home, 'data'))
  const steps: (() => void)[] = []
  await place.start(bundle)
  try {
    await place.untilListed('old_add_tool', 'fresh_add_tool')
    const streams = await listeners(place)
    const beside = await stdioListeners(home, absolute(main), (step) => void steps.push(step))
    // Words for tools are loaded when somebody looks for one.
    await isThere(place, 'old', 'nothing')
    const besideMs: number[] = []
    const heardMs: number[] = []
    const foundMs: number[] = []
    for (let time = 0; time < TIMES; time++) {
      const id = time % 2 === 0 ? 'old' : 'fresh'
      const name = `zeppelin${time}`
      const before = streams.map(told)
      const besideBefore = beside.map((count) => count())
      // Spaced as changes are: a server that changes all the time is read now and then.
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      const begun = performance.now()
      const added = place.ask('tools/call', { name: `${id}_add_tool`, arguments: { name } })
      const heardBeside = eventually(
        () => beside.every((count, index) => count() > (besideBefore[index] ?? 0)),
        'told over stdio',
        { everyMs: 1 },
      )
      await eventually(() => streams.every((stream, index) => told(stream) > (before[index] ?? 0)), 'told', {
        everyMs: 1,
      })
      heardMs.push(performance.now() - begun)
      await added
      await eventually(() => isThere(place, id, name), 'found')
      foundMs.push(performance.now() - begun)
      besideMs.push(await heardBeside)
    }
    for (const stream of streams) stream.abort()
    return [
      row('a tool appears: every open stream of five kinds is told', heardMs),
      row('the same: clients of stdio processes beside it are told', besideMs),
      row('the same: told, listed, found by search, called by the router', foundMs),
    ]
  } finally {
    for (const step of steps) step()
    await place.stop()
  }
}

async function isThere(place: Place, id: string, name: string): Promise<boolean> {
  const tool = `${id}_${name}`
  const [names, found, called] = await Promise.all([
    place.names(),
    place.ask('tools/call', { name: 'crow_discover', arguments: { category: 'tools', query: name } }, '/router/mcp'),
    place.ask('tools/call', { name: 'crow_tools', arguments: { action: tool, params: {} } }, '/router/mcp'),
  ])
  return names.includes(tool) && found.text.includes(tool) && called.text.includes(`${name}: {}`)
}

function row(what: string, tookMs: readonly number[]): Row {
  const worst = Math.max(...tookMs)
  return { what, value: `after ${worst.toFixed(0)} ms at most`, bar: `≤ ${HEARD_MS_MAX} ms`, ok: worst <= HEARD_MS_MAX }
}
