// What `crow servers list` and `show` say of the external servers: what is configured, and how it is doing where a gateway runs.
import { isRecord } from '../../lib/json.ts'
import { saidId } from '../../upstream/source-id.ts'
import { askRunning } from '../live-questions.ts'
import { visible } from '../visible.ts'
import { targetLine } from './consent.ts'
import type { Place } from './place.ts'

export interface ServerRow {
  readonly id: string
  readonly title: string | null
  readonly kind: 'stdio' | 'http' | 'sse' | null
  /** `on` and `off` are what is configured; anything else is what a running gateway says, or `problem`. */
  readonly state: string
  readonly tools: number | null
  readonly from: 'integration' | 'servers.json'
  /** Where it leads, without a value of any variable. */
  readonly target: string | null
  readonly reach: 'public' | 'private' | 'loopback' | null
  /** Why it is not there; on further lines what it wrote last. */
  readonly problem: string | null
  readonly notes: readonly string[]
}

interface Running {
  readonly tools: number | null
  readonly status: string
  readonly error: string | null
}

/** Everything that stands in the file or is configured by the environment, in the order of ids. */
export async function serverRows(place: Place): Promise<ServerRow[]> {
  const { list, entries } = place
  const running = await runningServers(place.config.dataDir)
  const written = new Set([...entries.keys()].map(saidId))
  const ids = new Set([...written, ...list.specs.map(({ id }) => id), ...list.problems.map(({ id }) => id)])
  return [...ids]
    .filter((id) => id !== 'servers.json')
    .toSorted()
    .map((id) => rowOf(place, id, { running: running.get(id), isWritten: written.has(id) }))
}

interface Seen {
  readonly running: Running | undefined
  /** Whether it stands in the file. */
  readonly isWritten: boolean
}

function rowOf({ list }: Place, id: string, { running, isWritten }: Seen): ServerRow {
  const spec = list.specs.find((one) => one.id === id)
  const problem = list.problems.find((one) => one.id === id)?.message
  const state = spec === undefined ? 'problem' : spec.enabled ? (running?.status ?? 'on') : 'off'
  return {
    id: visible(id),
    title: spec === undefined ? null : visible(spec.title),
    kind: spec?.target.kind ?? null,
    state,
    tools: running?.tools ?? null,
    from: spec?.origin === 'integration' || !isWritten ? 'integration' : 'servers.json',
    target: spec === undefined ? null : targetLine(spec.target),
    reach: list.reach.get(id) ?? null,
    problem: problem === undefined ? (running?.error ?? null) : visible(problem),
    notes: list.notes.filter((note) => note.id === id).map(({ message }) => visible(message)),
  }
}

/** As the first process says that knows of them. */
async function runningServers(dataDir: string): Promise<ReadonlyMap<string, Running>> {
  const answers = await askRunning(dataDir, { ask: 'servers' })
  const states = answers.flatMap((answer) => (Array.isArray(answer) ? answer.filter(isRecord) : []))
  return new Map(
    states.toReversed().map(({ id, tools, status, lastError }) => [
      String(id),
      {
        tools: typeof tools === 'number' ? tools : null,
        status: typeof status === 'string' ? visible(status) : 'on',
        error: typeof lastError === 'string' ? lastError.split('\n').map(visible).join('\n') : null,
      },
    ]),
  )
}
