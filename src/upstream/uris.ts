// Addresses of what external servers hold: `<id>+<uri>`. The id is part of the scheme (RFC 3986 §3.1 allows `+` there), so
// that two servers cannot claim one address, and that `file:` of a stranger is never a file of whoever reads the link.
import { isRecord } from '../lib/json.ts'
import { isSourceId } from './names.ts'

type Json = Readonly<Record<string, unknown>>

/** @param uri an address or an RFC 6570 template, as the server wrote it */
export const publicUri = (id: string, uri: string): string => `${id}+${uri}`

/** What `publicUri` was made from; undefined where it is none of ours. */
export function originalUri(uri: string): { readonly id: string; readonly uri: string } | undefined {
  const end = uri.indexOf('+')
  if (end === -1 || end === uri.length - 1) return undefined
  const id = uri.slice(0, end)
  return isSourceId(id) ? { id, uri: uri.slice(end + 1) } : undefined
}

/** The same object with the addresses in `uri` and `uriTemplate` made public. */
export function withPublicUri<Entry extends Json>(id: string, entry: Entry): Entry {
  const { uri, uriTemplate } = entry
  return {
    ...entry,
    ...(typeof uri === 'string' ? { uri: publicUri(id, uri) } : {}),
    ...(typeof uriTemplate === 'string' ? { uriTemplate: publicUri(id, uriTemplate) } : {}),
  }
}

/** One block of content: the address of a link or of an embedded resource is made public, all else stays as it came. */
export function blockWithPublicUris(id: string, block: unknown): unknown {
  if (!isRecord(block)) return block
  if (block['type'] === 'resource_link') return withPublicUri(id, block)
  const { resource } = block
  return block['type'] === 'resource' && isRecord(resource)
    ? { ...block, resource: withPublicUri(id, resource) }
    : block
}

/** Whether a block has an address in it at all: most have none, and are passed on untouched. */
const hasUri = (block: unknown): boolean =>
  isRecord(block) && (block['type'] === 'resource_link' || block['type'] === 'resource')

/** A list of blocks; the very list that came in where no block of it has an address. */
export function blocksWithPublicUris(id: string, blocks: readonly unknown[]): readonly unknown[] {
  return blocks.some(hasUri) ? blocks.map((block) => blockWithPublicUris(id, block)) : blocks
}
