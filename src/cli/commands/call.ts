// `crow call`: runs one tool in this process on the data folder, its flags taken from the tool's own schema.
import { text as readAll } from 'node:stream/consumers'
import type { Config } from '../../config.ts'
import type { Catalog } from '../../runtime/catalog.ts'
import type { CompiledServer, CompiledTool } from '../../runtime/compiled.ts'
import type { Caller } from '../../runtime/context.ts'
import { invoke } from '../../runtime/invoke.ts'
import type { Reply } from '../../runtime/reply.ts'
import type { Gateway } from '../../gateway.ts'
import { nearest } from '../../lib/nearest.ts'
import { answerRequests } from '../answer-requests.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { declaredCatalog } from '../declared.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { helpOf } from '../help.ts'
import { type Option, parseOptions, UsageError } from '../options.ts'
import { startProgress } from '../progress.ts'
import { replyText } from '../reply-text.ts'
import { configOf, withGateway } from '../setup.ts'
import { untilSignal } from '../signals.ts'
import type { Terminal } from '../terminal.ts'
import { flagsOf, jsonOf } from '../tool-flags.ts'

/** A tool that keeps asking is stopped after this many questions. */
const ROUNDS_MAX = 8

const caller: Caller = Object.freeze({ id: 'cli', kind: 'cli', scopes: 'all' })

const ownOptions = {
  ...sharedOptions,
  params: { type: 'text', value: 'JSON', help: 'parameters as one JSON object, - to read it from stdin' },
  yes: { type: 'flag', short: 'y', help: 'agree to what the tool asks before it destroys something' },
} as const satisfies Record<string, Option>

interface Request {
  readonly server: string
  readonly tool: string
  readonly params: Record<string, unknown>
  readonly json: boolean
  readonly yes: boolean
}

export const call = defineCommand({
  name: 'call',
  usage: 'SERVER TOOL [--PARAMETER VALUE]...',
  summary: 'run one tool on the data folder',
  positionals: [1, 2],
  passthrough: true,
  options: ownOptions,
  notes: [
    'The parameters of a tool: crow call SERVER TOOL --help. All tools: crow tools.',
    'The exit code is 1 when the tool answers with an error, or when a confirmation is refused or missing.',
  ],
  async run(terminal, { options: before, positionals: [serverName = '', toolName], rest }) {
    const server = findServer(declaredCatalog(), serverName)
    if (toolName === undefined) throw new UsageError(`name a tool of ${server.id}: crow tools ${server.id} lists them`)
    const tool = findTool(server, toolName)
    const flags = flagsOf(tool.definition.inputSchema, [...Object.keys(ownOptions), 'help'])
    const options = { ...flags.options, ...ownOptions }
    const { options: after, help } = parseOptions({ options }, rest)
    if (help) {
      terminal.out(
        helpOf(terminal, {
          name: `call ${server.id} ${tool.name}`,
          usage: '[options]',
          summary: tool.declaration.summary,
          options,
        }),
      )
      return exitCodes.ok
    }
    const whole = await paramsOf(terminal, after.params ?? before.params)
    const config = configOf(terminal, { 'data-dir': after['data-dir'] ?? before['data-dir'] })
    // The person is here, or has said --yes: a token for a second call would only be in the way.
    const asking: Config = config.confirm === 'token' ? { ...config, confirm: 'elicit' } : config
    return await withGateway(
      asking,
      async (gateway) =>
        await runTool(terminal, gateway, {
          server: server.id,
          tool: tool.name,
          params: { ...whole, ...flags.read(after) },
          json: (after.json ?? before.json) === true,
          yes: (after.yes ?? before.yes) === true,
        }),
    )
  },
})

function findServer(catalog: Catalog, name: string): CompiledServer {
  const server = catalog.server(name)
  if (server !== undefined) return server
  const ids = catalog.servers.map(({ id }) => id)
  const near = nearest(name, ids)
  throw new UsageError(
    `there is no server ${JSON.stringify(name)}; ${near === undefined ? `there is ${ids.join(', ')}` : `did you mean ${near}?`}`,
  )
}

function findTool(server: CompiledServer, name: string): CompiledTool {
  const tool = server.find(name)
  if (tool !== undefined) return tool
  const near = nearest(
    name,
    server.tools.map((known) => known.name),
  )
  const hint = near === undefined ? `crow tools ${server.id} lists them` : `did you mean ${near}?`
  throw new UsageError(`${server.id} has no tool ${JSON.stringify(name)}; ${hint}`)
}

async function paramsOf(terminal: Terminal, written: string | undefined): Promise<Record<string, unknown>> {
  if (written === undefined) return {}
  const parsed = jsonOf('params', written === '-' ? await readAll(terminal.stdin) : written)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new UsageError('--params takes a JSON object')
  return { ...parsed }
}

async function runTool(terminal: Terminal, { catalog }: Gateway, request: Request): Promise<ExitCode> {
  const { server, tool, params, json, yes } = request
  const cancelled = new AbortController()
  const done = new AbortController()
  void untilSignal(done.signal).then(() => cancelled.abort())
  let outcomeName: string | undefined
  const stopObserving = catalog.observe({ id: 'cli', onEnd: (event) => (outcomeName = event.outcome) })
  const progress = startProgress(terminal, `${server} ${tool}`)
  try {
    let elicit: { supported: boolean; responses?: Readonly<Record<string, unknown>>; state?: string } = {
      supported: yes || terminal.isInteractive,
    }
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const outcome = await invoke(catalog, {
        caller,
        server,
        tool,
        params,
        signal: cancelled.signal,
        progress: progress.at,
        elicit,
      })
      progress.end()
      if (outcome.kind === 'unknown-tool') throw new UsageError(outcome.message)
      if (outcome.kind === 'reply') return printReply(terminal, outcome.reply, json, outcomeName === 'confirm')
      if (outcome.kind === 'invalid-state') break
      elicit = {
        supported: true,
        responses: await answerRequests(terminal, outcome.requests, yes),
        state: outcome.state,
      }
    }
    terminal.err(`crow: ${tool} asked too often or for too long, and was stopped`)
    return exitCodes.failure
  } finally {
    stopObserving()
    done.abort()
  }
}

function printReply(terminal: Terminal, reply: Reply, json: boolean, isUnconfirmed: boolean): ExitCode {
  if (json) terminal.out(JSON.stringify(reply))
  else if (reply.isError === true) terminal.err(replyText(reply))
  else terminal.out(replyText(reply))
  if (isUnconfirmed)
    terminal.err('crow: nothing was changed yet; run the same command with --yes to go through with it')
  return reply.isError === true || isUnconfirmed ? exitCodes.failure : exitCodes.ok
}
