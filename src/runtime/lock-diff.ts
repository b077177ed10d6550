// What changed between two locks, in words: which tool, which field, and how much it matters to those who rely on it.
import { canonicalJson, isRecord } from '../lib/json.ts'
import type { CapabilityLock } from './lock.ts'

/** BREAKING: existing callers fail. RISKY: a guard or promise is weaker or different. SAFE: nothing that worked stops. */
export type LockSeverity = 'BREAKING' | 'RISKY' | 'SAFE'

export interface LockChange {
  readonly severity: LockSeverity
  readonly server: string
  readonly tool?: string
  /** Dotted path inside the tool or server: `input.properties.category.enum`. */
  readonly field: string
  readonly message: string
}

interface Place {
  readonly server: string
  readonly tool?: string
}

const SHOWN_MAX = 80

/** Empty when nothing changed. Sorted by severity, then place. */
export function diffLocks(before: CapabilityLock, after: CapabilityLock): LockChange[] {
  const changes: LockChange[] = []
  compare(before.confirm, after.confirm, ['confirm'], (path, message) => {
    changes.push({ severity: 'RISKY', server: '*', field: path.join('.'), message })
  })
  for (const server of keysOf(before.servers, after.servers))
    diffServer(before.servers[server], after.servers[server], server, changes)
  const rank: Record<LockSeverity, number> = { BREAKING: 0, RISKY: 1, SAFE: 2 }
  const orderOf = (change: LockChange) =>
    `${rank[change.severity]} ${change.server} ${change.tool ?? ''} ${change.field}`
  return changes.toSorted((left, right) => (orderOf(left) < orderOf(right) ? -1 : 1))
}

function diffServer(
  before: CapabilityLock['servers'][string] | undefined,
  after: typeof before,
  server: string,
  changes: LockChange[],
): void {
  if (before === undefined || after === undefined)
    return void changes.push(gone({ server }, 'server', after !== undefined))
  const { tools: toolsBefore, ...restBefore } = before
  const { tools: toolsAfter, ...restAfter } = after
  compare(restBefore, restAfter, [], (path, message, kind) => {
    changes.push({ severity: serverSeverity(path, kind), server, field: path.join('.'), message })
  })
  for (const tool of keysOf(toolsBefore, toolsAfter)) {
    const [one, two] = [toolsBefore[tool], toolsAfter[tool]]
    if (one === undefined || two === undefined) changes.push(gone({ server, tool }, 'tool', two !== undefined))
    else
      compare(one, two, [], (path, message, kind) => {
        changes.push({ severity: toolSeverity(path, kind, one, two), server, tool, field: path.join('.'), message })
      })
  }
}

function gone(place: Place, what: string, added: boolean): LockChange {
  return { ...place, severity: added ? 'SAFE' : 'BREAKING', field: what, message: added ? 'was added' : 'was removed' }
}

function keysOf(before: object, after: object): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
}

type Kind = 'added' | 'removed' | 'changed'
/** Keys from the tool or server down; joined they would be ambiguous, because names may hold dots. */
type Path = readonly string[]

/** Descends into objects; arrays and scalars are compared whole, so order inside them counts. */
function compare(
  before: unknown,
  after: unknown,
  path: Path,
  report: (path: Path, message: string, kind: Kind) => void,
): void {
  if (canonicalJson(before) === canonicalJson(after)) return
  if (isRecord(before) && isRecord(after)) {
    for (const key of keysOf(before, after)) compare(before[key], after[key], [...path, key], report)
  } else if (before === undefined) report(path, `added ${shown(after)}`, 'added')
  else if (after === undefined) report(path, `removed ${shown(before)}`, 'removed')
  else report(path, `${shown(before)} → ${shown(after)}`, 'changed')
}

function shown(value: unknown): string {
  const text = canonicalJson(value)
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`
}

function serverSeverity(path: Path, kind: Kind): LockSeverity {
  if (isWording(path)) return 'SAFE'
  if (path[0] === 'peers') return 'RISKY'
  return kind === 'added' ? 'SAFE' : 'BREAKING'
}

/** Under these, keys are names that somebody chose. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'resources', 'templates', 'prompts'])
/** Under these is data, not a schema. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'examples'])

/** Words for a reader; nothing breaks by them. A field that is named `title` is no wording. */
function isWording(path: Path): boolean {
  let named = false
  for (const key of path.slice(0, -1)) {
    if (!named && DATA.has(key)) return false
    named = !named && NAMED.has(key)
  }
  const last = path.at(-1)
  return !named && (last === 'description' || last === 'title')
}

function toolSeverity(path: Path, kind: Kind, before: { input: unknown }, after: { input: unknown }): LockSeverity {
  if (isWording(path)) return 'SAFE'
  const [part] = path
  if (part === 'input') return inputSeverity(path.slice(1), kind, before.input, after.input)
  if (part === 'output') return kind === 'added' ? 'SAFE' : 'BREAKING'
  return part === 'effect' ? 'BREAKING' : 'RISKY'
}

/** A new optional field is safe; anything else about an input may refuse what was accepted before. */
function inputSeverity(path: Path, kind: Kind, before: unknown, after: unknown): LockSeverity {
  const [part, name] = path
  if (part === 'properties' && path.length === 2 && kind === 'added')
    return requiredOf(after).includes(name) ? 'BREAKING' : 'SAFE'
  if (part === 'required' && path.length === 1)
    return requiredOf(after).some((one) => !requiredOf(before).includes(one)) ? 'BREAKING' : 'SAFE'
  return kind === 'removed' && part !== 'properties' ? 'RISKY' : 'BREAKING'
}

function requiredOf(schema: unknown): readonly unknown[] {
  return isRecord(schema) && Array.isArray(schema['required']) ? schema['required'] : []
}
