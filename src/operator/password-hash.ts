// Passwords at rest: argon2id with its parameters in the PHC string, hashed again when the parameters grow. The native module is
// loaded at the first password, and few hashes run at once, because each takes 19 MiB.
import { randomBytes } from 'node:crypto'
import { AccessError } from '../errors.ts'
import { Semaphore } from '../runtime/guards/semaphore.ts'

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. The algorithm is the module's default, argon2id v19. */
export const PARAMETERS = Object.freeze({ memoryCost: 19_456, timeCost: 2, parallelism: 1 })

const AT_ONCE_MAX = 2
const WAITING_MAX = 64
const RETRY_MS = 2_000

export interface PasswordHasher {
  /** @returns a PHC string */
  hash(password: string): Promise<string>
  /**
   * Does the same work without a hash, and then says no.
   * @param isKnown whether somebody signed in on this device before: they do not wait behind strangers
   * @throws AccessError LIMITED when too many wait
   */
  verify(hash: string | undefined, password: string, isKnown: boolean): Promise<boolean>
  /** Whether this hash was made with other parameters than today's. */
  isOutdated(hash: string): boolean
}

export function createPasswordHasher(): PasswordHasher {
  const gate = new Semaphore(AT_ONCE_MAX, WAITING_MAX)
  // Strangers wait among themselves: however many there are, the owner waits for two of them at most.
  const porch = new Semaphore(AT_ONCE_MAX, WAITING_MAX)
  let nobody: Promise<string> | undefined
  const hash = async (password: string): Promise<string> =>
    await inTurn(async () => await (await argon2()).hash(canonical(password), PARAMETERS), gate)
  return {
    hash,
    async verify(stored, password, isKnown) {
      const against = stored ?? (await (nobody ??= hash(randomBytes(16).toString('base64'))))
      const compare = (): Promise<boolean> =>
        inTurn(async () => await (await argon2()).verify(against, canonical(password)), gate)
      const isRight = isKnown ? await compare() : await inTurn(compare, porch)
      return isRight && stored !== undefined
    },
    isOutdated: (stored) => !stored.startsWith(prefix),
  }
}

/** Does the work when it is its turn. @throws AccessError LIMITED when too many wait */
async function inTurn<T>(work: () => Promise<T>, entrance: Semaphore): Promise<T> {
  if (!entrance.tryEnter()) {
    const waiter = entrance.wait()
    if (waiter === undefined) throw tooMany()
    await waiter.turn
  }
  try {
    return await work()
  } finally {
    entrance.leave()
  }
}

const argon2 = async () => await import('@node-rs/argon2')

/** What a hash of today's parameters begins with. */
const prefix = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`

/** The same letters however a keyboard composes them (RFC 8265 §4.2.2). */
const canonical = (password: string): string => password.normalize('NFC')

const tooMany = (): AccessError =>
  new AccessError('limited', 'LIMITED', 'Too many requests.', { retryAfterMs: RETRY_MS, hint: 'Try again in 2 s.' })
