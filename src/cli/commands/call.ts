// `crow call`: runs one tool in this process on the data folder, its flags taken from the tool's own schema.
import { text as readAll } from 'node:stream/consumers'
import type { Config } from '../../config.ts'
import type { Gateway } from '../../gateway.ts'
import type { Catalog } from '../../runtime/catalog.ts'
import type { CompiledServer, CompiledTool } from '../../runtime/compiled.ts'
import { everyone } from '../../runtime/compile-server.ts'
import { mayAsk } from '../../runtime/tool.ts'
import { isRecord } from '../../lib/json.ts'
import { nearest } from '../../lib/nearest.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { declaredCatalog } from '../declared.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { isExternal } from '../external.ts'
import { helpOf, helpOfList } from '../help.ts'
import { type Option, type Parsed, parseOptions, UsageError } from '../options.ts'
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
    if (serverName === undefined || isExternal(serverName)) return undefined
    return helpOfServer(terminal, findServer(declaredCatalog(), serverName))
  },
  async run(terminal, given) {
    const [serverName = ''] = given.positionals
    if (!isExternal(serverName)) return await callOn(terminal, findServer(declaredCatalog(), serverName), given)
    // What external servers have is known only on the data folder.
    const config = askingConfig(terminal, given.options['data-dir'])
    return await withGateway(config, async (gateway) => {
      await gateway.externals.known()
      return await callOn(terminal, findServer(gateway.catalog, serverName), given, gateway)
    })
  },
})

type Given = Parsed<typeof ownOptions>

/** @param opened where it had to be opened to know the tool */
async function callOn(
  terminal: Terminal,
  server: CompiledServer,
  { options: before, positionals: [, toolName], rest }: Given,
  opened?: Gateway,
): Promise<ExitCode> {
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
  const request = {
    server: server.id,
    tool: tool.name,
    params: { ...whole, ...about(topic, () => flags.read(after)) },
    json: (after.json ?? before.json) === true,
    yes: (after.yes ?? before.yes) === true,
  }
  if (opened !== undefined) return await runTool(terminal, opened, request)
  const config = askingConfig(terminal, after['data-dir'] ?? before['data-dir'])
  if (tool.effect === 'read') refuseMissing(config)
  return await withGateway(config, async (gateway) => await runTool(terminal, gateway, request))
}

/** The person is here, or has said --yes: a token for a second call would only be in the way. */
function askingConfig(terminal: Terminal, dataDir: string | undefined): Config {
  const config = configOf(terminal, { 'data-dir': dataDir })
  return config.confirm === 'token' ? { ...config, confirm: 'elicit' } : config
}

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
    server.usable(everyone).map((known) => known.name),
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
