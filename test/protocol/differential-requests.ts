// Requests for the differential test, from a seed: every memory tool with arguments that are mostly good, in many scripts,
// under ids of every kind, in both eras, and now and then something that is wrong with the request itself.
import { call, MODERN } from '../fixtures/rpc.ts'

type Json = Record<string, unknown>

/** A small generator of repeatable choices (mulberry32). */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** 0 ≤ x < 1 */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  upTo(max: number): number {
    return Math.floor(this.next() * (max + 1))
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  one<Item>(items: readonly Item[]): Item {
    const item = items[this.upTo(items.length - 1)]
    if (item === undefined) throw new Error('nothing to choose from')
    return item
  }
}

const WORDS = [
  'memory',
  'naïve',
  'café',
  'Zürich',
  'Ελλάδα',
  'Москва',
  '東京',
  '한국어',
  'العربية',
  'עברית',
  'हिन्दी',
  '🚀',
  '👩‍👩‍👧',
  'AND',
  'NEAR(',
  '"quoted"',
  "o'clock",
  'col:umn',
  'semi;colon',
  '<tag>',
  '&amp;',
  '%20',
  '\\back\\slash',
  'line\nbreak',
  'tab\t',
  '\u2028',
  'e\u0301',
  'ﬁ',
  'İstanbul',
  'ß',
  'snake_case',
  'camelCase',
  'v1.2.3',
  '2026-07-28',
  '100%',
  '-not',
  '*',
  '()',
  '^',
] as const
const ODD_TEXT = ['\u0000', 'lone \ud800 surrogate', '\udfff', '', ' ', '\ufeff', '\u202e'] as const
const CATEGORIES = ['general', 'project', 'preference', 'person', 'process', 'decision', 'learning', 'goal'] as const
const YEARLY = ['0 0 1 1 *', '30 4 29 2 *', '15 10 24 12 *'] as const

const text = (dice: Dice, words = 6): string =>
  Array.from({ length: 1 + dice.upTo(words) }, () => dice.one(WORDS)).join(' ')
const itemId = (dice: Dice): number => 1 + dice.upTo(40)
const maybe = (dice: Dice, share: number, made: Json): Json => (dice.chance(share) ? made : {})

/** Good arguments of each tool, most of the time. */
const ARGUMENTS: Readonly<Record<string, (dice: Dice) => Json>> = {
  crow_store_memory: (dice) => ({
    content: text(dice, 20),
    ...maybe(dice, 0.5, { category: dice.one(CATEGORIES) }),
    ...maybe(dice, 0.4, { tags: dice.chance(0.5) ? 'ana, style' : [text(dice, 1), 'a,b'] }),
    ...maybe(dice, 0.5, { importance: 1 + dice.upTo(9) }),
    ...maybe(dice, 0.2, { context: text(dice), source: null }),
  }),
  crow_search_memories: (dice) => ({
    query: text(dice, 3),
    ...maybe(dice, 0.3, { limit: 1 + dice.upTo(20) }),
    ...maybe(dice, 0.2, { category: dice.one(CATEGORIES), min_importance: null }),
  }),
  crow_recall_by_context: (dice) => ({ context: text(dice, 5), ...maybe(dice, 0.3, { limit: 3 }) }),
  crow_deep_recall: (dice) => ({ topic: text(dice, 2), ...maybe(dice, 0.3, { per_source_limit: 2 }) }),
  crow_get_memory: (dice) => ({ id: itemId(dice) }),
  crow_list_memories: (dice) => ({
    ...maybe(dice, 0.5, { sort_by: dice.one(['recent', 'importance', 'accessed']) }),
    ...maybe(dice, 0.5, { limit: 1 + dice.upTo(30) }),
    ...maybe(dice, 0.2, { tag: 'a,b' }),
  }),
  crow_update_memory: (dice) => ({
    id: itemId(dice),
    importance: 1 + dice.upTo(9),
    ...maybe(dice, 0.3, { content: text(dice) }),
  }),
  crow_delete_memory: (dice) => ({ id: itemId(dice) }),
  crow_memory_stats: () => ({}),
  crow_dream: (dice) => maybe(dice, 0.3, { dry_run: true, stale_days: 1 + dice.upTo(60) }),
  crow_regenerate_embeddings: () => ({}),
  crow_create_schedule: (dice) => ({ task: text(dice, 4), cron_expression: dice.one(YEARLY) }),
  crow_list_schedules: (dice) => maybe(dice, 0.5, { enabled_only: dice.chance(0.5) }),
  crow_update_schedule: (dice) => ({ id: 1 + dice.upTo(5), enabled: dice.chance(0.5) }),
  crow_create_notification: (dice) => ({
    title: text(dice, 3),
    ...maybe(dice, 0.4, { priority: dice.one(['low', 'normal', 'high']), metadata: { deep: [{ text: text(dice) }] } }),
  }),
  crow_check_notifications: (dice) => maybe(dice, 0.5, { unread_only: dice.chance(0.5), limit: 5 }),
  crow_dismiss_notification: (dice) => ({ id: 1 + dice.upTo(10), ...maybe(dice, 0.3, { snooze_minutes: 60 }) }),
  crow_dismiss_all_notifications: () => ({}),
  crow_notification_settings: () => ({ action: 'get' }),
  crow_get_context: (dice) => maybe(dice, 0.5, { include_dynamic: dice.chance(0.5), platform: 'claude' }),
  crow_list_context_sections: () => ({}),
  crow_add_context_section: (dice) => ({
    section_key: `key_${dice.upTo(200)}`,
    section_title: text(dice, 2),
    content: text(dice),
  }),
  crow_update_context_section: (dice) => ({ section_key: `key_${dice.upTo(40)}`, content: text(dice) }),
  crow_delete_context_section: (dice) => ({ section_key: `key_${dice.upTo(40)}` }),
}

export const TOOLS: readonly string[] = Object.keys(ARGUMENTS)

/** Arguments that no tool should take as they are. */
function spoiled(dice: Dice, args: Json): unknown {
  const key = Object.keys(args)[0] ?? 'none'
  return dice.one<() => unknown>([
    () => ({ ...args, unknown_key: 1 }),
    () => ({ ...args, [key]: null }),
    () => ({ ...args, [key]: dice.one(ODD_TEXT) }),
    () => ({ ...args, [key]: [] }),
    () => ({ ...args, [key]: { nested: { deep: true } } }),
    () => ({ ...args, limit: dice.one([-1, 0, 1.5, 101, 1e308]) }),
    () => ({}),
    () => undefined,
    () => null,
    () => [],
    () => 'text',
  ])()
}

export const requestId = (dice: Dice): unknown =>
  dice.one<() => unknown>([
    () => dice.upTo(1e6),
    () => -dice.upTo(1e6),
    () => 0,
    () => Number.MAX_SAFE_INTEGER,
    () => Number.MIN_SAFE_INTEGER,
    () => text(dice, 2),
    () => '',
    () => '\u0000\ud83d',
    () => `${dice.upTo(9)}`,
  ])()

export interface Case {
  readonly era: '2025' | '2026'
  readonly tool: string | undefined
  readonly headers: Record<string, string>
  readonly body: Json
}

const CAPABILITIES = [
  {},
  {},
  {},
  { sampling: {} },
  { roots: { listChanged: true } },
  { elicitation: { url: {} } },
  { extensions: { 'x/y': {} } },
]

function envelope(dice: Dice): Json {
  return {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    ...maybe(dice, 0.8, { 'io.modelcontextprotocol/clientInfo': { name: 'diff', version: '1', title: text(dice, 1) } }),
    'io.modelcontextprotocol/clientCapabilities': dice.one(CAPABILITIES),
    ...maybe(dice, 0.1, { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }),
  }
}

/** One request. In a session, its headers are added by whoever sends it. */
export function nextCase(dice: Dice): Case {
  const era = dice.chance(0.5) ? '2025' : '2026'
  const id = requestId(dice)
  if (dice.chance(0.05)) return listing(dice, era, id)
  const tool = dice.one(TOOLS)
  const good = ARGUMENTS[tool]?.(dice) ?? {}
  const args = dice.chance(0.12) ? spoiled(dice, good) : good
  const params = { name: dice.chance(0.02) ? `${tool}_x` : tool, ...(args === undefined ? {} : { arguments: args }) }
  return complete(dice, { era, tool, method: 'tools/call', params, id })
}

function listing(dice: Dice, era: Case['era'], id: unknown): Case {
  const method = era === '2026' && dice.chance(0.5) ? 'server/discover' : 'tools/list'
  return complete(dice, { era, tool: undefined, method, params: maybe(dice, 0.1, { cursor: 'x' }), id })
}

function complete(
  dice: Dice,
  made: { era: Case['era']; tool: string | undefined; method: string; params: Json; id: unknown },
): Case {
  const { era, tool, method, params, id } = made
  if (era === '2025')
    return { era, tool, headers: {}, body: call(method, dice.chance(0.1) ? { ...params, _meta: {} } : params, id) }
  const headers: Record<string, string> = { 'mcp-protocol-version': MODERN, 'mcp-method': method }
  if (typeof params['name'] === 'string') headers['mcp-name'] = params['name']
  return { era, tool, headers, body: call(method, { ...params, _meta: envelope(dice) }, id) }
}
