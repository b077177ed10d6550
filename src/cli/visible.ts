// Texts of others on this terminal: what would steer it, or show a line in another order than it is, does not reach it.
import { STEERING } from '../lib/steering.ts'

/** DEL and the C1 controls may stand in JSON as they are, and a terminal obeys some of them. */
const STEERING_IN_JSON = /[\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/gu

/** One line without control characters. */
export function visible(line: string): string {
  return line.replaceAll(STEERING, '')
}

/** The same JSON with nothing in it that a terminal obeys; what was in a string is escaped. */
export function visibleJson(line: string): string {
  return line.replaceAll(STEERING_IN_JSON, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}
