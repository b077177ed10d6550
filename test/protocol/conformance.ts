// Runs the official conformance suite against the real app: the fixture server mounted beside the gateway's own, doors on,
// and a loopback relay in front that adds the Authorization header which the suite cannot send. Exit code 0 only when
// every scenario that a revision requires passes, every extra one named below, and those for authorization servers.
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { conformanceServer } from '../fixtures/conformance-server.ts'
import { startRelay } from '../fixtures/relay.ts'
import { startApp } from '../fixtures/running-app.ts'
import { judgeAuthorization, type AuthorizationVerdict } from './conformance-authorization.ts'

/** Scenarios beyond the requirement sets; the suite runs them, but does not score them. */
const EXTRAS: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': ['server-session-lifecycle', 'json-schema-2020-12', 'server-sse-polling'],
  '2026-07-28': ['json-schema-2020-12', 'http-header-validation', 'http-custom-header-server-validation'],
}
const RUN_MS = 180_000

const suite = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'))

interface Verdict {
  readonly revision: string
  readonly required: { readonly passed: number; readonly total: number }
  readonly extra: { readonly passed: number; readonly total: number }
  readonly failed: readonly string[]
  readonly output: string
}

const isGood = ({ required, extra }: Verdict): boolean =>
  required.total > 0 && required.passed === required.total && extra.passed === extra.total

/** The scenarios of the `server:` list in a requirement set of the suite. */
async function requiredScenarios(revision: string): Promise<string[]> {
  const text = await readFile(join(suite, 'requirements', `${revision}.yaml`), 'utf8')
  const list = /^server:\n((?: {2}- .*\n)+)/m.exec(text)?.[1] ?? ''
  return [...list.matchAll(/- (\S+)/g)].map((match) => match[1] ?? '')
}

async function judge(url: string, revision: string): Promise<Verdict> {
  const output = await run(url, revision)
  const passed = new Set([...output.matchAll(/^✓ (\S+): \d+ passed, 0 failed/gm)].map((match) => match[1]))
  const required = await requiredScenarios(revision)
  const extra = EXTRAS[revision] ?? []
  const count = (names: readonly string[]) => ({
    passed: names.filter((name) => passed.has(name)).length,
    total: names.length,
  })
  const failed = [...required, ...extra].filter((name) => !passed.has(name))
  return { revision, required: count(required), extra: count(extra), failed, output }
}

function run(url: string, revision: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = [join(suite, 'dist/index.js'), 'server', '--url', url, '--requirements', revision]
    const child = spawn(process.execPath, options, { timeout: RUN_MS, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.once('error', reject)
    child.once('close', () => resolve(output))
  })
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

function report(verdicts: readonly Verdict[], authorization: AuthorizationVerdict): void {
  for (const verdict of verdicts) {
    if (!isGood(verdict)) say(verdict.output)
    for (const name of verdict.failed) say(`FAILED ${verdict.revision} ${name}`)
  }
  const sums = verdicts.map(
    ({ revision, required, extra }) =>
      `${revision} ${required.passed}/${required.total} required, ${extra.passed}/${extra.total} extra`,
  )
  const { passed, total, failed, output } = authorization
  if (failed.length > 0) say(output)
  for (const name of failed) say(`FAILED ${name}`)
  say(`conformance: ${sums.join('; ')}; authorization server ${passed}/${total}`)
}

const running = await startApp({}, { servers: [conformanceServer] })
const relay = await startRelay(running.port, running.token)
try {
  const url = `http://127.0.0.1:${relay.port}/conformance/mcp`
  const verdicts: Verdict[] = []
  for (const revision of Object.keys(EXTRAS)) verdicts.push(await judge(url, revision))
  const authorization = await judgeAuthorization(running, join(suite, 'dist/index.js'))
  report(verdicts, authorization)
  process.exitCode = verdicts.every(isGood) && authorization.failed.length === 0 ? 0 : 1
} finally {
  await relay.close()
  await running.close()
}
