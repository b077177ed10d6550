// What one client may watch: bounded in number and in length, because it is held for as long as the client listens.
import { isRecord } from '../lib/json.ts'

/** URIs that one session or one stream may watch. */
const WATCHED_MAX = 256
/** The longest URI of a resource that anybody may name. */
export const URI_CHARS_MAX = 2_048

/**
 * @param watched how many URIs are watched already
 * @returns why these cannot be watched as well, else undefined
 */
export function watchProblem(uris: readonly unknown[], watched = 0): string | undefined {
  if (watched + uris.length > WATCHED_MAX) return `At most ${WATCHED_MAX} resources can be watched at once`
  return uris.some((uri) => typeof uri === 'string' && uri.length > URI_CHARS_MAX)
    ? `The URI of a watched resource can have at most ${URI_CHARS_MAX} characters`
    : undefined
}

/** What a `subscriptions/listen` asks to watch. Its form is the SDK's to judge. */
export function watchedUris(body: unknown): readonly unknown[] {
  const params = isRecord(body) ? body['params'] : undefined
  const filter = isRecord(params) ? params['notifications'] : undefined
  const uris = isRecord(filter) ? filter['resourceSubscriptions'] : undefined
  return Array.isArray(uris) ? uris : []
}
