// Reading a resource: by its own URI, or by a template that the URI fits.
import { holderOf, noteUnmet, withBorrowedContext } from './borrowed.ts'
import type { Catalog } from './catalog.ts'
import type { Caller } from './context.ts'
import { fault, ToolFault } from './fault.ts'
import { foreignHold, noteOf, throughForeign, type ForeignHold } from './foreign-reading.ts'
import type { Call } from './outcome.ts'
import type { ResourceTemplate } from './server.ts'
import type { WireObject } from './source.ts'

export interface ResourceCall {
  readonly caller: Caller
  readonly server: string
  readonly uri: string
  readonly signal?: AbortSignal | (() => AbortSignal)
  readonly meta?: Readonly<Record<string, unknown>>
  readonly progress?: Call['progress']
  readonly notify?: Call['notify']
}
export type ResourceContents = { readonly uri: string; readonly mimeType: string } & (
  | { readonly text: string }
  | { readonly blob: string }
)
export type ResourceOutcome =
  /** As it came from whoever serves it, whole. */
  | { readonly kind: 'result'; readonly result: WireObject }
  | { readonly kind: 'contents'; readonly contents: readonly ResourceContents[] }
  | { readonly kind: 'unknown-resource'; readonly uri: string }
  | { readonly kind: 'fault'; readonly fault: ToolFault }

/** Never rejects. A resource that throws NOT_FOUND reads as unknown. */
export async function readResource(catalog: Catalog, request: ResourceCall): Promise<ResourceOutcome> {
  const { uri } = request
  const server = holderOf(
    catalog.server(request.server),
    request.caller,
    ({ resources, templates }) =>
      resources.some((resource) => resource.uri === uri) ||
      templates.some((template) => matchTemplate(template, uri) !== undefined),
  )
  const resource = server?.resources.find((candidate) => candidate.uri === uri)
  const templated =
    resource === undefined
      ? server?.templates.map((template) => ({ template, variables: matchTemplate(template, uri) }))
      : []
  const match = templated?.find((candidate) => candidate.variables !== undefined)
  const mimeType = resource?.mimeType ?? match?.template.mimeType
  const call = callOf(request, server?.id ?? request.server)
  if (server === undefined || mimeType === undefined) {
    const hold = foreignHold(catalog.server(request.server), request.caller, 'resource', uri)
    if (hold !== undefined) return readForeign(catalog, hold, { ...call, server: hold.server.id })
    noteUnmet(catalog, call, 'resource', { outcome: 'unknown-resource', code: 'NOT_FOUND', isError: true })
    return { kind: 'unknown-resource', uri }
  }
  const body = await withBorrowedContext(catalog, {
    kind: 'resource',
    server,
    name: resource?.uri ?? match?.template.uriTemplate ?? uri,
    call,
    work: (ctx) => resource?.read(ctx) ?? match?.template.read(match.variables ?? {}, ctx),
    note: (read) => ({ outcome: 'ok', bytes: read === undefined ? 0 : bodyBytes(read) }),
  })
  if (body instanceof ToolFault)
    return body.code === 'NOT_FOUND' ? { kind: 'unknown-resource', uri } : { kind: 'fault', fault: body }
  return body === undefined
    ? { kind: 'unknown-resource', uri }
    : { kind: 'contents', contents: [{ uri, mimeType, ...body }] }
}

async function readForeign(catalog: Catalog, hold: ForeignHold, call: Call): Promise<ResourceOutcome> {
  const { name: uri } = hold
  const result = await throughForeign<WireObject>(catalog, hold, {
    call,
    note: noteOf,
    work: async (ctx) => (await hold.content.source.read(uri, ctx)) ?? fault('NOT_FOUND', 'There is no such resource.'),
  })
  if (!(result instanceof ToolFault)) return { kind: 'result', result }
  return result.code === 'NOT_FOUND' ? { kind: 'unknown-resource', uri } : { kind: 'fault', fault: result }
}

function callOf({ caller, uri, signal, meta, progress, notify }: ResourceCall, server: string): Call {
  return {
    caller,
    server,
    tool: uri,
    ...(signal === undefined ? {} : { signal }),
    ...(meta === undefined ? {} : { meta }),
    ...(progress === undefined ? {} : { progress }),
    ...(notify === undefined ? {} : { notify }),
  }
}

function bodyBytes(body: { readonly text: string } | { readonly blob: string }): number {
  return 'text' in body ? Buffer.byteLength(body.text) : body.blob.length
}

/** RFC 6570 level 1: each `{name}` is one path segment, percent-decoded. Undefined when the URI does not fit. */
export function matchTemplate(template: ResourceTemplate, uri: string): Record<string, string> | undefined {
  const names: string[] = []
  const source = template.uriTemplate
    .split(/\{(\w+)\}/)
    .map((part, index) => {
      if (index % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
      names.push(part)
      return '([^/?#]+)'
    })
    .join('')
  const match = new RegExp(`^${source}$`, 'u').exec(uri)
  if (match === null) return undefined
  const values = match.slice(1).map(decoded)
  return values.includes(undefined)
    ? undefined
    : Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
}

/** A malformed escape fits no template. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
