// Reading a resource: by its own URI, or by a template that the URI fits.
import { holderOf, noteUnmet, withBorrowedContext } from './borrowed.ts'
import type { Catalog } from './catalog.ts'
import type { Caller } from './context.ts'
import { ToolFault } from './fault.ts'
import type { ResourceTemplate } from './server.ts'

export interface ResourceCall {
  readonly caller: Caller
  readonly server: string
  readonly uri: string
  readonly signal?: AbortSignal | (() => AbortSignal)
  readonly meta?: Readonly<Record<string, unknown>>
}
export type ResourceContents = { readonly uri: string; readonly mimeType: string } & (
  | { readonly text: string }
  | { readonly blob: string }
)
export type ResourceOutcome =
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
  const { caller, signal, meta } = request
  const call = {
    caller,
    server: server?.id ?? request.server,
    tool: uri,
    ...(signal === undefined ? {} : { signal }),
    ...(meta === undefined ? {} : { meta }),
  }
  if (server === undefined || mimeType === undefined) {
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
