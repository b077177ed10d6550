// Compiles one tool: schema, parser, chain, guards, presenter and wire definition, once and for good.
import { deepFreeze } from '../lib/json.ts'
import { CompileError } from './compile-error.ts'
import type { CompiledTool } from './compiled.ts'
import type { ConfirmMode } from './engine.ts'
import { KeyedMutex } from './guards/keyed-mutex.ts'
import { Semaphore } from './guards/semaphore.ts'
import { resolveLimits } from './limits.ts'
import type { Middleware, Next } from './middleware.ts'
import { originOf } from './origin.ts'
import { compilePresenter } from './present-compile.ts'
import { compileParser } from './schema/parser.ts'
import { readShape, type ObjectShape, type Shape } from './schema/shape.ts'
import { signatureOf } from './signature.ts'
import type { SyncPolicy } from './sync.ts'
import { mayAsk, type Effect, type Limits, type Tool } from './tool.ts'
import { CONFIRM_FIELD, leanInput, MORE_FIELD, wireInput, wireOutput } from './wire-schema.ts'
import type { ToolAnnotations, WireTool } from './wire-tool.ts'

/** What a tool takes over from the server, or the part of it, that lists it. */
export interface ToolPlace {
  readonly server: string
  readonly prefix: string
  readonly peers: boolean
  readonly globalLimits: Limits | undefined
  readonly serverLimits: Limits | undefined
  /** Global, then the server's. */
  readonly middlewares: readonly Middleware[]
  readonly confirm: ConfirmMode
  /** Resource URIs of the whole catalog, for `invalidates`. */
  readonly uris: readonly string[]
}

/** Names have to pass the strictest clients: `^[a-zA-Z0-9_-]{1,64}$`. */
const PUBLIC_NAME_CHARS_MAX = 64
const partPattern = /^[a-z][a-z0-9_]*$/

/** @throws CompileError naming the tool and where it is declared */
export function compileTool(tool: Tool, place: ToolPlace): CompiledTool {
  const name = keyOf(tool)
  const where = `tool "${name}" of ${place.server} (${originOf(tool)})`
  const publicName = `${place.prefix}${name.replaceAll('.', '_')}`
  assertDeclaration(tool, publicName, where)
  const shape = inputShape(tool, where)
  const limits = resolveLimits(where, place.globalLimits, place.serverLimits, tool.limits)
  const middlewares = [...place.middlewares, ...(tool.use ?? [])]
  const writes = tool.effect === 'write' || tool.effect === 'destroy'
  return Object.freeze({
    name,
    publicName,
    server: place.server,
    effect: tool.effect,
    definition: deepFreeze(wireToolOf(tool, publicName)),
    inputSchema: deepFreeze(wholeInput(tool)),
    signature: signatureOf(publicName, shape, tool.oneOf),
    declaration: tool,
    canAsk: mayAsk(tool) || (tool.effect === 'destroy' && place.confirm === 'elicit'),
    shape,
    parse: compileParser(shape, 'strict'),
    oneOf: tool.oneOf,
    chain: compose(middlewares, tool),
    middlewareIds: Object.freeze(middlewares.map((middleware) => middleware.id)),
    limits,
    semaphore: new Semaphore(limits.activeMax, limits.queueMax),
    mutex: writes && tool.serializeBy !== null ? new KeyedMutex(limits.queueMax) : undefined,
    presenter:
      tool.present === undefined ? undefined : compilePresenter(tool.present, where, tool.output !== undefined),
    parseOutput: tool.output === undefined ? undefined : compileParser(outputShape(tool.output, where), 'strip'),
    invalidates: resolveUris(tool.sync, place.uris, where),
    scope: place.server,
    readScope: `${place.server}:read`,
    peers: place.peers,
    isForeign: false,
    continues: true,
  })
}

/** Bare name with its groups: `support.tickets.close`. */
export function keyOf(tool: Tool): string {
  return tool.group === undefined ? tool.name : [...tool.group, tool.name].join('.')
}

/** One closure per middleware, built here and never again. */
export function compose(middlewares: readonly Middleware[], tool: Tool): Next {
  const last: Next = (ctx, input) => tool.handle(input, ctx)
  return middlewares.reduceRight<Next>((next, middleware) => (ctx, input) => middleware.run(ctx, input, next), last)
}

function assertDeclaration(tool: Tool, publicName: string, where: string): void {
  const parts = tool.name.split('.')
  if (parts.length > 2) throw new CompileError(where, 'a name has at most one dot; nest groups with `group: [...]`')
  if (parts.length === 2 && tool.group !== undefined)
    throw new CompileError(where, 'a name with a dot names its group already')
  if (![...(tool.group ?? []), ...parts].every((part) => partPattern.test(part))) {
    throw new CompileError(where, 'names are lower case letters, digits and _, and begin with a letter')
  }
  if (publicName.length > PUBLIC_NAME_CHARS_MAX)
    throw new CompileError(where, `the public name ${publicName} has more than ${PUBLIC_NAME_CHARS_MAX} characters`)
  if (!['read', 'write', 'destroy', 'route'].includes(tool.effect))
    throw new CompileError(where, "say the effect of the tool: 'read', 'write', 'destroy' or 'route'")
  if (tool.effect === 'destroy' && tool.preview === undefined)
    throw new CompileError(where, 'what destroys needs a preview')
  if (tool.effect === 'destroy' && mayAsk(tool))
    throw new CompileError(where, 'what destroys asks for its confirmation only')
  if (tool.presenterEscape === true && tool.present === undefined)
    throw new CompileError(where, 'presenterEscape without a presenter')
}

function inputShape(tool: Tool, where: string): ObjectShape {
  const shape = tool.input === undefined ? emptyShape : readShape(tool.input, where)
  if (shape.kind !== 'object') throw new CompileError(where, 'the input must be an object with named fields')
  for (const name of [CONFIRM_FIELD, MORE_FIELD]) {
    if (shape.fields.some((field) => field.name === name))
      throw new CompileError(where, `the field name "${name}" is reserved`)
  }
  for (const name of tool.oneOf ?? []) {
    const field = shape.fields.find((candidate) => candidate.name === name)
    if (field === undefined || field.required || field.fallback !== undefined) {
      throw new CompileError(where, `oneOf names "${name}", which must be an optional field without default`)
    }
  }
  return shape
}

const emptyShape: ObjectShape = Object.freeze({ kind: 'object', fields: [] })

function outputShape(output: object, where: string): Shape {
  const shape = readShape(output, `${where} output`)
  if (shape.kind !== 'object' && shape.kind !== 'record') throw new CompileError(where, 'the output must be an object')
  return shape
}

function resolveUris(sync: SyncPolicy | undefined, uris: readonly string[], where: string): readonly string[] {
  const resolved = (sync?.invalidates ?? []).flatMap((wanted) => {
    const found = wanted.endsWith('*')
      ? uris.filter((uri) => uri.startsWith(wanted.slice(0, -1)))
      : uris.filter((uri) => uri === wanted)
    if (found.length === 0) throw new CompileError(where, `it invalidates ${wanted}, which no server declares`)
    return found
  })
  return Object.freeze([...new Set(resolved)])
}

function wholeInput(tool: Tool): Record<string, unknown> {
  // What only reads may have much to show; what writes says in a line what it did, unless it declares a budget of its own.
  const more = tool.effect === 'read' || tool.limits?.egressBytesMax !== undefined
  return wireInput(tool.input, { confirm: tool.effect === 'destroy', more })
}

function wireToolOf(tool: Tool, publicName: string): WireTool {
  return {
    name: publicName,
    ...(tool.title === undefined ? {} : { title: tool.title }),
    description: describeTool(tool),
    inputSchema: leanInput(wholeInput(tool)),
    ...(tool.output === undefined ? {} : { outputSchema: wireOutput(tool.output) }),
    annotations: annotationsOf(tool.effect),
  }
}

/** Conditions that no schema can say, and freshness, in as few words as possible. */
function describeTool(tool: Tool): string {
  const notes = [
    tool.oneOf === undefined ? '' : ` Give exactly one of: ${tool.oneOf.join(', ')}.`,
    tool.sync?.cache === 'immutable' ? ' [immutable]' : tool.sync?.cache === 'no-store' ? ' [no-store]' : '',
  ]
  return `${tool.description}${notes.join('')}`
}

function annotationsOf(effect: Effect): ToolAnnotations {
  return effect === 'read' ? { readOnlyHint: true } : { destructiveHint: effect === 'destroy' }
}
