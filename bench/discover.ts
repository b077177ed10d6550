// How fast and how well a tool is found by a question: the committed questions over the tools of a full installation and of foreign
// servers, filled up to a thousand tools and to ten thousand with varied copies. Usage: node bench/discover.ts
import { createToolIndex } from '../src/search/tool-index.ts'
import type { ToolDocument } from '../src/search/tool-fields.ts'
import type { ToolIndex } from '../src/search/tool-index.ts'
import { askedQuestions, describedSituations, surfaceDocuments } from '../test/fixtures/surface-questions/index.ts'
import type { AskedQuestion } from '../test/fixtures/surface-questions/index.ts'

const SHOWN = 5
const SEARCH_MS_MAX = 5
const HIT_MIN = 0.85
const ROUNDS = 5
const WORDS = ['alpha', 'orchid', 'harbour', 'ledger', 'saddle', 'tundra', 'velvet', 'quartz', 'nimbus', 'copper']

interface Row {
  readonly what: string
  readonly figure: string
  readonly verdict: string
}

const documents = surfaceDocuments()
const questions = askedQuestions()
const situations = describedSituations()

/** Copies under other names in other categories, each with a word of its own. */
function filledUp(count: number): ToolDocument[] {
  return Array.from({ length: count }, (_, place) => {
    const tool = documents[place % documents.length]
    if (tool === undefined) throw new Error('there are no tools to copy')
    const copy = Math.floor(place / documents.length)
    if (copy === 0) return tool
    const word = `${WORDS[place % WORDS.length]}${copy}`
    return {
      ...tool,
      key: `${tool.key}_${copy}`,
      name: `${word}_${tool.name}`,
      description: `${tool.description} ${word}`,
    }
  })
}

/** Of each question the lowest of some rounds, so that a busy machine does not count as a slow index. */
function percentile(index: ToolIndex, queries: readonly string[], share: number): number {
  const lowest = queries.map(() => Infinity)
  for (let round = 0; round < ROUNDS; round++) {
    queries.forEach((query, place) => {
      const started = performance.now()
      index.search(query, SHOWN)
      lowest[place] = Math.min(lowest[place] ?? Infinity, performance.now() - started)
    })
  }
  return lowest.toSorted((a, b) => a - b)[Math.floor(lowest.length * share)] ?? 0
}

function timed(what: string, value: number, max?: number): Row {
  const verdict = max === undefined ? '' : `${value <= max ? 'ok  ' : 'OVER'} ≤ ${max} ms`
  return { what, figure: `${value.toFixed(3)} ms`, verdict }
}

function hits(what: string, index: ToolIndex, asked: readonly AskedQuestion[], within: number, min?: number): Row {
  const found = asked.filter(({ text, keys }) => index.search(text, within).some(({ key }) => keys.includes(key)))
  const share = found.length / asked.length
  const verdict = min === undefined ? '' : `${share >= min ? 'ok  ' : 'OVER'} ≥ ${min}`
  return { what, figure: share.toFixed(3), verdict }
}

/** Every word mistyped: what no table knows is compared with every word there is. */
function mistyped(text: string): string {
  return text.replaceAll(/\p{L}{5,}/gu, (word) => `${word.slice(0, 2)}${word[3]}${word[2]}${word.slice(4)}`)
}

function measure(): Row[] {
  const all = createToolIndex(documents)
  const heldOut = questions.filter((question) => question.heldOut)
  const tuned = questions.filter((question) => !question.heldOut)
  const texts = questions.map(({ text }) => text)
  const thousand = filledUp(1000)
  const started = performance.now()
  const ofThousand = createToolIndex(thousand)
  const built = performance.now() - started
  return [
    hits(
      `held out: right tool within 5, ${heldOut.length} questions, ${documents.length} tools`,
      all,
      heldOut,
      5,
      HIT_MIN,
    ),
    hits('held out: right tool first', all, heldOut, 1),
    hits(`tuned with: right tool within 5, ${tuned.length} questions`, all, tuned, 5),
    hits('tuned with: right tool first', all, tuned, 1),
    hits(
      'held out, situations: right tool within 5',
      all,
      situations.filter((one) => one.heldOut),
      5,
    ),
    hits(
      'tuned with, situations: right tool within 5',
      all,
      situations.filter((one) => !one.heldOut),
      5,
    ),
    timed('search, 1000 tools, p95', percentile(ofThousand, texts, 0.95), SEARCH_MS_MAX),
    timed('search, 1000 tools, p50', percentile(ofThousand, texts, 0.5)),
    timed(
      'search, every word mistyped, 1000 tools, p95',
      percentile(ofThousand, texts.map(mistyped), 0.95),
      SEARCH_MS_MAX,
    ),
    timed('search, 10,000 characters, 1000 tools, p95', percentile(ofThousand, longTexts(texts), 0.95), SEARCH_MS_MAX),
    timed('index 1000 tools', built),
    timed('search, 10,000 tools, p95', percentile(createToolIndex(filledUp(10_000)), texts, 0.95)),
  ]
}

function longTexts(texts: readonly string[]): string[] {
  const joined = texts.map(mistyped).join(' ')
  return Array.from({ length: 20 }, (_, place) =>
    joined
      .slice(place * 300)
      .padEnd(10_000, joined)
      .slice(0, 10_000),
  )
}

const rows = measure()
const wide = Math.max(...rows.map(({ what }) => what.length))
const lines = rows.map(
  ({ what, figure, verdict }) => `| ${what.padEnd(wide)} | ${figure.padStart(11)} | ${verdict.padEnd(13)} |`,
)
process.stdout.write(
  `| ${'case'.padEnd(wide)} | ${'figure'.padStart(11)} | ${'bar'.padEnd(13)} |\n| ${'-'.repeat(wide)} | ----------: | ------------- |\n${lines.join('\n')}\n`,
)
process.exitCode = rows.every(({ verdict }) => !verdict.startsWith('OVER')) ? 0 : 1
