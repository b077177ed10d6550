// `crow call`: runs one tool in this process on the data folder, its flags taken from the tool's own schema.
import { text as readAll } from 'node:stream/consumers'
import type { Config } from '../../config.ts'
import type { Catalog } from '../../runtime/catalog.ts'
import type { CompiledServer, CompiledTool } from '../../runtime/compiled.ts'
import { mayAsk } from '../../runtime/tool.ts'
import { isRecord } from '../../lib/json.ts'
import { nearest } from '../../lib/nearest.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { declaredCatalog } from '../declared.ts'
import { exitCodes } from '../exit-codes.ts'
import { helpOf, helpOfList } from '../help.ts'
import { type Option, parseOptions, UsageError } from '../options.ts'
import { runTool } from '../run-tool.ts'
import { configOf, refuseMissing, withGateway } from '../setup.ts'
import type { Terminal } from '../terminal.ts'
import { flagsOf, jsonOf } from '../tool-flags.ts'
import { unknownServer } from '../unknown-server.ts'

const ownOptions = {
  ...sharedOptions,
  params: { type: 'text', value: 'JSON', help: 'parameters as one JSON object, - to read it from stdin' },
  yes: { type: 'flag', short: 'y', help: 'agree to what the tool asks before it destroys something' },
} as const satisfies Record<string, Option>

/** What only others need: `--yes` is the way to confirm here, and a reply comes whole. */
const WITHOUT_FLAG = ['confirm_token', 'more']

export const call = defineCommand({
  name: 'call',
  usage: 'SERVER TOOL [--PARAMETER VALUE]...',
  summary: 'run one tool on the data folder',
  positionals: [1, 2],
  passthrough: true,
  options: ownOptions,
  notes: [
    'The parameters of a tool: crow call SERVER TOOL --help. All tools: crow tools.',
    'It runs in a process of its own, on the same data as a running gateway; crow inspect shows the calls of gateways only.',
    'The exit code is 1 when the tool answers with an error, or when a confirmation is refused or missing; 2 when a parameter is wrong.',
  ],
  helpFor(terminal, [serverName]) {
    return serverName === undefined ? undefined : helpOfServer(terminal, findServer(declaredCatalog(), serverName))
  },
  async run(terminal, { options: before, positionals: [serverName = '', toolName], rest }) {
    const server = findServer(declaredCatalog(), serverName)
    if (toolName === undefined) throw new UsageError(`name a tool of ${server.id}: crow tools ${server.id} lists them`)
    const tool = findTool(server, toolName)
    const flags = flagsOf(tool.inputSchema, [...Object.keys(ownOptions), ...WITHOUT_FLAG, 'help'])
    const options = { ...flags.options, ...ownOptions }
    const topic = `call ${server.id} ${tool.name}`
    const { options: after, help } = about(topic, () => parseOptions({ options }, rest))
    if (help) {
      const { yes, ...others } = options
      terminal.out(
        helpOf(terminal, {
          name: topic,
          usage: '[options]',
          summary: tool.declaration.summary,
          options: tool.effect === 'destroy' || mayAsk(tool.declaration) ? { ...others, yes } : others,
        }),
      )
      return exitCodes.ok
    }
    const whole = await paramsOf(terminal, after.params ?? before.params)
    const params = { ...whole, ...about(topic, () => flags.read(after)) }
    const config = configOf(terminal, { 'data-dir': after['data-dir'] ?? before['data-dir'] })
    if (tool.effect === 'read') refuseMissing(config)
    // The person is here, or has said --yes: a token for a second call would only be in the way.
    const asking: Config = config.confirm === 'token' ? { ...config, confirm: 'elicit' } : config
    return await withGateway(
      asking,
      async (gateway) =>
        await runTool(terminal, gateway, {
          server: server.id,
          tool: tool.name,
          params,
          json: (after.json ?? before.json) === true,
          yes: (after.yes ?? before.yes) === true,
        }),
    )
  },
})

/** A mistake in the parameters of a tool leads to the help of that tool. */
function about<T>(topic: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(error.message, topic) : error
  }
}

function findServer(catalog: Catalog, name: string): CompiledServer {
  const server = catalog.server(name)
  if (server !== undefined) return server
  throw unknownServer(
    name,
    catalog.servers.map(({ id }) => id),
  )
}

/** Every tool of the server, one line each. */
function helpOfServer(terminal: Terminal, { id, summary, tools }: CompiledServer): string {
  return helpOfList(terminal, {
    name: `call ${id}`,
    usage: 'TOOL [--PARAMETER VALUE]...',
    summary,
    rows: tools.map(({ name, declaration }) => [name, declaration.summary]),
    notes: [`The parameters of one: crow call ${id} TOOL --help`],
  })
}

function findTool(server: CompiledServer, name: string): CompiledTool {
  const tool = server.find(name)
  if (tool !== undefined) return tool
  const near = nearest(
    name,
    server.tools.map((known) => known.name),
  )
  const hint = near === undefined ? `crow tools ${server.id} lists them` : `did you mean ${near}?`
  throw new UsageError(`${server.id} has no tool ${JSON.stringify(name)}; ${hint}`, `call ${server.id}`)
}

async function paramsOf(terminal: Terminal, written: string | undefined): Promise<Record<string, unknown>> {
  if (written === undefined) return {}
  const parsed = jsonOf('params', written === '-' ? await readAll(terminal.stdin) : written)
  if (!isRecord(parsed)) throw new UsageError('--params takes a JSON object')
  return parsed
}
