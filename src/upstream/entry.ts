// One entry of `servers.json`, in the `mcpServers` form that AI clients share, made into what the rest works with.
import { resolve } from 'node:path'
import { absolutePath } from '../config/places.ts'
import { nearest } from '../lib/nearest.ts'
import { saidName } from '../runtime/said-name.ts'
import {
  choiceIn,
  durationOf,
  EntryError,
  firstOf,
  flagIn,
  type Raw,
  textIn,
  textMapIn,
  textsIn,
} from './entry-fields.ts'
import type { Target } from '../lib/link.ts'
import { reachOf, type Reach, type Self } from './reach.ts'
import type { SourceSpec } from './spec.ts'
import { expand, type Values } from './variables.ts'

/** What an entry is read with. */
export interface Surroundings extends Values {
  /** Where a server is started, and where a relative `cwd` begins: not wherever the gateway was started. */
  readonly folder: string
  readonly self: Self
}

export interface Entry {
  readonly spec: Omit<SourceSpec, 'fingerprint'>
  /** Undefined for a child process. */
  readonly reach: Reach | undefined
  /** What is odd and does not matter: one clause each, to stand after the id. */
  readonly notes: readonly string[]
}

const URL_KEYS = ['url', 'serverUrl', 'httpUrl']
const ALLOW_KEYS = ['allow', 'includeTools', 'enabledTools', 'allowedTools']
const DENY_KEYS = ['deny', 'excludeTools', 'disabledTools']
/** Consent given in advance in other programs: here every call is policed all the same. */
const CONSENT_KEYS = ['alwaysAllow', 'autoApprove', 'trust']
const OWN_KEYS =
  'command args env cwd type transport headers disabled enabled reads timeout toolTimeouts idle isolation roots title name description acceptUnverified'
const KNOWN_KEYS: readonly string[] = [...OWN_KEYS.split(' '), ...URL_KEYS, ...ALLOW_KEYS, ...DENY_KEYS]

const VARIABLE_NAME = /^[A-Za-z_]\w{0,127}$/
const HEADER_NAME = /^[!#$%&'*+.^`|~\w-]{1,128}$/
/** The connection writes these itself. */
const OWN_HEADER =
  /^(connection|content-length|content-type|host|keep-alive|mcp-.*|te|trailer|transfer-encoding|upgrade)$/i

const TIMEOUT_MS = 60_000
const TIMEOUT_MAX_MS = 3_600_000
const IDLE_MS = 600_000
const IDLE_MAX_SECONDS = 604_800

/**
 * @throws EntryError with one clause to stand after the id, naming the member; never a value
 */
export function readEntry(id: string, raw: Raw, origin: SourceSpec['origin'], surroundings: Surroundings): Entry {
  const enabled = flagIn(raw, 'disabled') !== true && flagIn(raw, 'enabled') !== false
  const notes = notesOf(raw)
  const { target, reach } = targetOf(raw, enabled, surroundings, notes)
  return {
    spec: {
      id,
      title: saidName(textIn(raw, 'title', 'name') ?? id),
      target,
      origin,
      enabled,
      ...toolsOf(raw),
      isolation: choiceIn(raw, 'isolation', ['shared', 'client']) ?? 'shared',
      roots: rootsOf(raw),
      ...timesOf(raw),
    },
    reach,
    notes,
  }
}

function toolsOf(raw: Raw): Pick<SourceSpec, 'allow' | 'deny' | 'reads'> {
  const [first, second] = ALLOW_KEYS.filter((key) => firstOf(raw, [key]) !== undefined)
  if (second !== undefined) throw new EntryError(`has both ${first} and ${second}: keep one of them`)
  return {
    allow: textsIn(raw, ...ALLOW_KEYS),
    // Whatever is denied in any spelling is denied.
    deny: DENY_KEYS.flatMap((key) => textsIn(raw, key) ?? []),
    reads: textsIn(raw, 'reads') ?? [],
  }
}

function timesOf(raw: Raw): Pick<SourceSpec, 'timeoutMs' | 'toolTimeoutsMs' | 'idleMs'> {
  const { timeout, idle, toolTimeouts } = raw
  const perTool = typeof toolTimeouts === 'object' && toolTimeouts !== null ? Object.entries(toolTimeouts) : []
  if (idle !== undefined && !(typeof idle === 'number' && idle >= 0 && idle <= IDLE_MAX_SECONDS))
    throw new EntryError(`idle must be seconds from 0 (never stopped) to ${IDLE_MAX_SECONDS}`)
  return {
    timeoutMs: timeout === undefined ? TIMEOUT_MS : durationOf(timeout, 'timeout', TIMEOUT_MAX_MS),
    toolTimeoutsMs: Object.fromEntries(
      perTool.map(([tool, value]) => [tool, durationOf(value, `toolTimeouts.${saidName(tool)}`, TIMEOUT_MAX_MS)]),
    ),
    idleMs: idle === undefined ? IDLE_MS : Math.round(idle * 1_000),
  }
}

function rootsOf(raw: Raw): readonly string[] | undefined {
  return textsIn(raw, 'roots')?.map((root, at) => {
    if (URL.parse(root)?.protocol !== 'file:') throw new EntryError(`roots[${at}] must be a file: URI`)
    return root
  })
}

function targetOf(
  raw: Raw,
  enabled: boolean,
  surroundings: Surroundings,
  notes: string[],
): { target: Target; reach: Reach | undefined } {
  const urlKey = firstOf(raw, URL_KEYS)
  const hasCommand = firstOf(raw, ['command']) !== undefined
  if (hasCommand && urlKey !== undefined) throw new EntryError(`has both command and ${urlKey}: keep one of them`)
  if (!hasCommand && urlKey === undefined) throw new EntryError('has neither command nor url')
  // Of what is switched off nothing is missing.
  const fill = (key: string, text: string): string => {
    const { text: filled, hasSecret, problems } = expand(text, surroundings)
    const [problem] = problems
    if (problem !== undefined && enabled) throw new EntryError(`${key} ${problem}`)
    if (hasSecret && /^(args|command)/.test(key))
      notes.push(`${key} holds a secret, which every user of this machine can read in the list of processes: use env`)
    return filled
  }
  if (urlKey === undefined) return { target: stdioTarget(raw, fill, surroundings), reach: undefined }
  return httpTarget(raw, urlKey, fill, surroundings.self)
}

type Fill = (key: string, text: string) => string

function stdioTarget(raw: Raw, fill: Fill, { folder, environment }: Surroundings): Target {
  const type = choiceIn(raw, 'type', ['stdio', 'local']) ?? choiceIn(raw, 'transport', ['stdio'])
  const command = fill('command', textIn(raw, 'command') ?? '').trim()
  if (command === '') throw new EntryError('command is empty')
  if (/[\r\n]/.test(command)) throw new EntryError('command has more than one line')
  const cwd = fill('cwd', textIn(raw, 'cwd') ?? '')
  return {
    kind: type === undefined || type === 'local' ? 'stdio' : type,
    command,
    args: (textsIn(raw, 'args') ?? []).map((text, at) => fill(`args[${at}]`, text)),
    env: filledMap(textMapIn(raw, 'env', VARIABLE_NAME), 'env', fill),
    cwd: resolve(folder, absoluteHome(cwd, environment)),
  }
}

/** Only a tilde is made absolute here. */
function absoluteHome(path: string, environment: Surroundings['environment']): string {
  return path.startsWith('~') ? absolutePath(path, environment) : path
}

const HTTP_TYPES = ['http', 'streamable-http', 'streamableHttp', 'streamable_http', 'sse', 'remote'] as const

function httpTarget(raw: Raw, urlKey: string, fill: Fill, self: Self): { target: Target; reach: Reach } {
  const type = choiceIn(raw, 'type', HTTP_TYPES) ?? choiceIn(raw, 'transport', HTTP_TYPES)
  const found = reachOf(fill(urlKey, textIn(raw, urlKey) ?? ''), self)
  if (typeof found === 'string') throw new EntryError(`${urlKey} ${found}`)
  const headers = filledMap(textMapIn(raw, 'headers', HEADER_NAME), 'headers', fill)
  for (const [name, value] of Object.entries(headers)) {
    if (OWN_HEADER.test(name)) throw new EntryError(`headers.${name} is written by Crow itself`)
    if (/[^\t\u0020-\u007E\u0080-\u00FF]/.test(value))
      throw new EntryError(`headers.${name} holds a character that no header can`)
  }
  return {
    target: { kind: type === 'sse' ? 'sse' : 'http', url: found.url.href, headers },
    reach: found.reach,
  }
}

function filledMap(map: ReadonlyMap<string, string>, key: string, fill: Fill): Record<string, string> {
  return Object.fromEntries([...map].map(([name, text]) => [name, fill(`${key}.${name}`, text)]))
}

function notesOf(raw: Raw): string[] {
  const notes = CONSENT_KEYS.filter((key) => Object.hasOwn(raw, key)).map((key) => `${key} has no effect here`)
  const known = new Set([...KNOWN_KEYS, ...CONSENT_KEYS])
  for (const key of Object.keys(raw)) {
    if (known.has(key)) continue
    const near = nearest(key, KNOWN_KEYS)
    const meant = near === undefined ? '' : `; did you mean ${near}?`
    notes.push(`${saidName(key)} is kept, and has no effect${meant}`)
  }
  return notes
}
