// Which artifacts open a door by themselves, and how they are kept so that a copy of the database opens none. Pure.
import { isRecord } from '../../lib/json.ts'
import { digestOf } from '../verified.ts'

/** Whoever holds the id of one of these gets in, or goes on with what somebody else began. */
const BEARERS = new Set(['AccessToken', 'RefreshToken', 'AuthorizationCode', 'Session', 'Interaction'])

export type Payload = Record<string, unknown>

const isBearer = (model: string): boolean => BEARERS.has(model)

/** The key of a row. */
export function keyOf(model: string, id: string): string {
  return `${model}:${isBearer(model) ? digestOf(id) : id}`
}

/** Stands in a concealed text for the id of the artifact itself. */
const SELF = '{id}'

/** The payload without its own id, and without the session cookie an interaction remembers. */
export function conceal(model: string, id: string, payload: Payload): Payload {
  if (!isBearer(model)) return payload
  const { jti: _jti, ...kept } = payload
  if (model !== 'Interaction') return kept
  const { returnTo, session } = kept
  if (typeof returnTo === 'string') kept['returnTo'] = returnTo.replaceAll(id, SELF)
  if (isRecord(session)) {
    const { cookie: _cookie, ...rest } = session
    kept['session'] = rest
  }
  return kept
}

/** Puts back what `conceal` took, for whoever knows the id. */
export function reveal(model: string, id: string, payload: Readonly<Payload>): Payload {
  if (!isBearer(model)) return { ...payload }
  const { returnTo } = payload
  return {
    ...payload,
    jti: id,
    ...(typeof returnTo === 'string' ? { returnTo: returnTo.replaceAll(SELF, () => id) } : {}),
  }
}
