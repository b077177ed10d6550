// The memory room as it runs, on a database of the test's own: catalog, searcher, seeded sections, and a clock that the test sets.
import type { TestContext } from 'node:test'
import { openDatabase, type Database } from '../../../../src/db/client.ts'
import { createIds } from '../../../../src/lib/ids.ts'
import { createBus, type ChangeBus } from '../../../../src/runtime/bus.ts'
import { compileCatalog, type Catalog } from '../../../../src/runtime/catalog.ts'
import type { ConfirmMode } from '../../../../src/runtime/engine.ts'
import type { Caller, Log } from '../../../../src/runtime/context.ts'
import { invoke } from '../../../../src/runtime/invoke.ts'
import type { Outcome } from '../../../../src/runtime/outcome.ts'
import type { ServerDefinition } from '../../../../src/runtime/server.ts'
import { checkIndex } from '../../../../src/search/check-index.ts'
import { memoryIndex } from '../../../../src/search/memory-index.ts'
import { openSearcher, type Searcher } from '../../../../src/search/searcher.ts'
import type { EmbeddingsConfig } from '../../../../src/search/embeddings-client.ts'
import { createSemanticLeg } from '../../../../src/search/semantic.ts'
import { indexScript } from '../../../../src/search/text-index.ts'
import { memoryServer } from '../../../../src/servers/memory/index.ts'
import { seedSections } from '../../../../src/servers/memory/seed-sections.ts'
import { temporaryFolder } from '../../db/temporary.ts'

export interface Answer {
  readonly text: string
  readonly isError: boolean
}

/** A clock that stands still until the test moves it. */
export interface TestClock {
  now(): number
  set(iso: string): void
  advance(ms: number): void
}

export interface Room {
  readonly db: Database
  readonly catalog: Catalog
  readonly searcher: Searcher
  readonly clock: TestClock
  readonly bus: ChangeBus
  readonly log: Log & { readonly entries: readonly { level: string; detail: object; message: string | undefined }[] }
  call(tool: string, params?: unknown): Promise<Answer>
  /** Calls a tool that asks for a confirmation, and gives it. */
  confirm(tool: string, params: object): Promise<Answer>
  /** Stores a memory. @returns its id */
  store(memory: object): Promise<number>
  /** Problems between index and rows; none is an empty list. */
  indexProblems(): readonly string[]
  close(): Promise<void>
}

export interface RoomOptions {
  readonly dataDir?: string
  readonly timeZone?: string
  readonly deviceId?: string
  /** Absent: words only. */
  readonly embeddings?: EmbeddingsConfig
  readonly servers?: readonly ServerDefinition[]
  readonly clock?: TestClock
  /** Default `free`: what a tool writes into crow.md counts at once. */
  readonly contextWrites?: 'approve' | 'free'
  /** Default `token`. */
  readonly confirm?: ConfirmMode
}

export const owner: Caller = { id: 'local:test', kind: 'local', scopes: 'all' }

export async function memoryRoom(t: Pick<TestContext, 'after'>, options: RoomOptions = {}): Promise<Room> {
  const db = await openDatabase({
    dataDir: options.dataDir ?? temporaryFolder(t),
    repeatable: [indexScript(memoryIndex)],
  })
  const clock = options.clock ?? testClock('2026-01-15T10:00:00Z')
  const searcher = openSearcher({
    db,
    indexes: [memoryIndex],
    thread: 'inline',
    ...(options.embeddings !== undefined && {
      semantic: createSemanticLeg({ db, spec: memoryIndex, config: options.embeddings, now: () => clock.now() }),
    }),
  })
  const bus = createBus()
  const log = memoryLog()
  const ports = {
    searcher,
    timeZone: options.timeZone ?? 'UTC',
    deviceId: options.deviceId ?? null,
    contextWrites: options.contextWrites ?? 'free',
  }
  const catalog = compileCatalog([memoryServer, ...(options.servers ?? [])], {
    context: () => ({ db, ports }),
    confirm: options.confirm ?? 'token',
    clock,
    ids: createIds(clock),
    log,
    bus,
  })
  await seedSections(db, clock)
  const close = async (): Promise<void> => {
    await searcher.close()
    await db.close()
  }
  t.after(close)
  const call = async (tool: string, params?: unknown): Promise<Answer> =>
    answerOf(await invoke(catalog, { caller: owner, server: 'memory', tool, params }))
  return {
    db,
    catalog,
    searcher,
    clock,
    bus,
    log,
    call,
    close,
    async confirm(tool, params) {
      const asked = await call(tool, params)
      const token = /confirm_token\W+([\w.-]{16,})/.exec(asked.text)?.[1]
      if (asked.isError || token === undefined) return asked
      return call(tool, { ...params, confirm_token: token })
    },
    async store(memory) {
      return idIn(await call('store_memory', memory))
    },
    indexProblems: () => checkIndex(db.sqlite, memoryIndex).problems,
  }
}

/** The id that a reply names first. */
export function idIn(answer: Answer): number {
  const id = /\bid[ ="]+(\d+)/.exec(answer.text)?.[1]
  if (answer.isError || id === undefined) throw new Error(`no id in: ${answer.text}`)
  return Number(id)
}

/** The ids of the rows of a list, in their order. */
export function idsIn(answer: Answer): number[] {
  return Array.from(answer.text.matchAll(/^<\w+[^>]*? id="(\d+)"/gm), (match) => Number(match[1]))
}

/** Every row of a list, page by page; fails when a list does not end. */
export async function walk(room: Room, tool: string, params: object): Promise<number[]> {
  const ids: number[] = []
  let cursor: string | undefined
  for (let page = 0; page < 100; page += 1) {
    const answer = await room.call(tool, cursor === undefined ? params : { ...params, cursor })
    if (answer.isError) throw new Error(answer.text)
    ids.push(...idsIn(answer))
    cursor = /^next_cursor: (\S+)$/m.exec(answer.text)?.[1]
    if (cursor === undefined) return ids
  }
  throw new Error(`${tool} has no last page`)
}

export function testClock(iso: string): TestClock {
  let now = Date.parse(iso)
  return {
    now: () => now,
    set: (next) => {
      now = Date.parse(next)
    },
    advance: (ms) => {
      now += ms
    },
  }
}

function answerOf(outcome: Outcome): Answer {
  if (outcome.kind !== 'reply') return { text: JSON.stringify(outcome), isError: true }
  const { content, isError } = outcome.reply
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n'),
    isError: isError === true,
  }
}

function memoryLog(): Room['log'] {
  const entries: { level: string; detail: object; message: string | undefined }[] = []
  const at = (level: string) => (detail: object, message?: string) => void entries.push({ level, detail, message })
  return { entries, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
