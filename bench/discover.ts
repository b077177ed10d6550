// How fast and how well a tool is found by a question: the committed questions over the tools of a full installation and of foreign
// servers, filled up to a thousand tools and to ten thousand with varied copies. Usage: node bench/discover.ts
import { buildToolIndex, createToolIndex } from '../src/search/tool-index.ts'
import type { ToolIndex } from '../src/search/tool-index.ts'
import { longestTurn } from '../test/fixtures/longest-turn.ts'
import {
  askedQuestions,
  chatQuestions,
  connectedDocuments,
  describedSituations,
  filledUp,
  hintedQuestions,
  paraphrasedQuestions,
  plainQuestions,
  surfaceDocuments,
  talkedQuestions,
} from '../test/fixtures/surface-questions/index.ts'
import type { AskedQuestion } from '../test/fixtures/surface-questions/index.ts'

const SHOWN = 5
const SEARCH_MS_MAX = 5
const HIT_MIN = 0.85
const TURN_MS_MAX = 10
const ROUNDS = 5

interface Row {
  readonly what: string
  readonly figure: string
  readonly verdict: string
}

const documents = surfaceDocuments()
const questions = askedQuestions()

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

/** One kind of questions, those that were tuned with apart from those that were not. */
function hitRows(what: string, index: ToolIndex, asked: readonly AskedQuestion[], min?: number): Row[] {
  const heldOut = asked.filter((question) => question.heldOut)
  return [
    hits(`${what}, held out: within ${SHOWN} of ${heldOut.length}`, index, heldOut, SHOWN, min),
    hits(`${what}, held out: first`, index, heldOut, 1),
    ...tunedRows(what, index, asked),
  ]
}

function tunedRows(what: string, index: ToolIndex, asked: readonly AskedQuestion[]): Row[] {
  const tuned = asked.filter((question) => !question.heldOut)
  return [
    hits(`${what}, tuned with: within ${SHOWN} of ${tuned.length}`, index, tuned, SHOWN),
    hits(`${what}, tuned with: first`, index, tuned, 1),
  ]
}

/** The longest that an index of a thousand tools holds up everything else; of some rounds the least. */
async function longestHold(): Promise<number> {
  const turns: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const tools = filledUp(documents, 1000, `r${round}`)
    turns.push(await longestTurn(() => buildToolIndex(tools)))
  }
  return Math.min(...turns)
}

async function measure(): Promise<Row[]> {
  const texts = questions.map(({ text }) => text)
  const thousand = filledUp(documents, 1000)
  const started = performance.now()
  const ofThousand = createToolIndex(thousand)
  const built = performance.now() - started
  const all = createToolIndex(documents)
  const connected = createToolIndex(connectedDocuments())
  return [
    ...hitRows('questions', all, questions, HIT_MIN),
    ...hitRows('situations', all, describedSituations()),
    ...hitRows('talk', connected, talkedQuestions(), HIT_MIN),
    ...hitRows('paraphrases', connected, paraphrasedQuestions()),
    ...tunedRows('chat', connected, chatQuestions()),
    ...tunedRows('hints', connected, hintedQuestions()),
    ...tunedRows('plain', connected, plainQuestions()),
    timed('search, 1000 tools, p95', percentile(ofThousand, texts, 0.95), SEARCH_MS_MAX),
    timed('search, 1000 tools, p50', percentile(ofThousand, texts, 0.5)),
    timed(
      'search, every word mistyped, 1000 tools, p95',
      percentile(ofThousand, texts.map(mistyped), 0.95),
      SEARCH_MS_MAX,
    ),
    timed('search, 10,000 characters, 1000 tools, p95', percentile(ofThousand, longTexts(texts), 0.95), SEARCH_MS_MAX),
    timed('index 1000 tools, at once', built),
    timed('index 1000 tools, in slices: the longest one', await longestHold(), TURN_MS_MAX),
    timed('search, 10,000 tools, p95', percentile(createToolIndex(filledUp(documents, 10_000)), texts, 0.95)),
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

const rows = await measure()
const wide = Math.max(...rows.map(({ what }) => what.length))
const lines = rows.map(
  ({ what, figure, verdict }) => `| ${what.padEnd(wide)} | ${figure.padStart(11)} | ${verdict.padEnd(13)} |`,
)
process.stdout.write(
  `| ${'case'.padEnd(wide)} | ${'figure'.padStart(11)} | ${'bar'.padEnd(13)} |\n| ${'-'.repeat(wide)} | ----------: | ------------- |\n${lines.join('\n')}\n`,
)
process.exitCode = rows.every(({ verdict }) => !verdict.startsWith('OVER')) ? 0 : 1
