// What an external server may be called. The id is the first part of every name it shows, so it must not be mistaken for another.
import { saidName } from '../runtime/said-name.ts'
import { isSourceId } from './names.ts'

/** Words that stand for something of the gateway itself in names, paths and scopes. */
const RESERVED = new Set([
  'core',
  'crow',
  'discover',
  'gateway',
  'instances',
  'mcp',
  'messages',
  'router',
  'sse',
  'tools',
])
/** Other instances of the owner are shown under it. */
const RESERVED_START = 'instance-'

/**
 * Why this is no id, to stand after the id in a sentence; undefined where it is one. Only small ASCII letters, digits and
 * hyphens are ids, so that two of them never look alike.
 * @param ownIds of the gateway's servers, and their other names
 */
export function whyNoId(id: string, ownIds: readonly string[]): string | undefined {
  if (!isSourceId(id)) {
    const small = idLike(id)
    const hint = isSourceId(small) ? `; ${small} would be one` : ''
    return `is no id: take small letters, digits and hyphens, a letter first, at most 31${hint}`
  }
  if (id.startsWith(RESERVED_START)) return `is reserved: ${RESERVED_START}… stands for other instances of Crow`
  return RESERVED.has(id) || ownIds.includes(id) ? 'is reserved: it is a name of Crow itself' : undefined
}

/** What somebody meant who wrote `GitHub` or `my_server`; it need not be an id. */
export function idLike(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_.]+/g, '-')
}

/** An id as it may stand in a sentence, whoever wrote it. */
export function saidId(id: string): string {
  return isSourceId(id) ? id : saidName(id)
}

/** Every name that the gateway's servers have: their ids, and their other mounts. */
export function namesOf(servers: readonly { readonly id: string; readonly aliases: readonly string[] }[]): string[] {
  return servers.flatMap(({ id, aliases }) => [id, ...aliases.map((alias) => alias.replaceAll('/', ''))])
}
