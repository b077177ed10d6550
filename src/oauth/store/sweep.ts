// Forgetting what has expired, a little at a time, so that no write holds the database for long.
import type { Database } from '../../db/client.ts'
import { repeat, type Rhythm } from '../../lib/repeat.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import type { Clock, Log } from '../../runtime/context.ts'
import { dropExpired, dropSpentAuthorizations, dropSpentClients, dropSpentGrants } from './queries.ts'
import { dropSpentConsents, dropSpentDocuments } from './remembered/queries.ts'

const ROWS_PER_WRITE = 500
const WRITES_MAX = 200
/** An authorization whose code was never redeemed. */
const UNREDEEMED_MS = HOUR_MS
/** A client that registered and was never let in: somebody may still be looking for the password. */
const UNUSED_CLIENT_MS = 7 * DAY_MS
/** A client that holds no key any more: coming back within this time it needs no new registration. */
const LEFT_CLIENT_MS = 90 * DAY_MS

/** A start has better things to do. */
const RHYTHM: Rhythm = { firstMs: MINUTE_MS, everyMs: HOUR_MS }

/**
 * Begins to sweep. Whether or not anybody asks this process for a token: an earlier one may have left rows behind.
 * @returns ends it; resolves when no write of it is under way
 */
export function startOAuthSweep(db: Database, clock: Clock, log: Log, rhythm: Rhythm = RHYTHM): () => Promise<void> {
  return repeat(
    async () =>
      void (await sweepOAuth(db, clock).catch((error: unknown) =>
        log.warn({ err: error }, 'what expired at the authorization server was not deleted'),
      )),
    rhythm,
  )
}

/** @returns how many expired artifacts were deleted */
export async function sweepOAuth(db: Database, clock: Clock): Promise<number> {
  const now = clock.now()
  let swept = 0
  for (let write = 0; write < WRITES_MAX; write++) {
    const dropped = await db.write((tx) => dropExpired(tx, now, ROWS_PER_WRITE))
    swept += dropped
    if (dropped < ROWS_PER_WRITE) break
  }
  await db.write((tx) => {
    dropSpentAuthorizations(tx, now - UNREDEEMED_MS)
    dropSpentGrants(tx, now - UNREDEEMED_MS)
    dropSpentClients(tx, { made: now - UNUSED_CLIENT_MS, used: now - LEFT_CLIENT_MS })
    dropSpentConsents(tx)
    dropSpentDocuments(tx, now - UNREDEEMED_MS)
  })
  return swept
}
