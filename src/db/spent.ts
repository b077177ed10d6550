// What may be used once only, by whichever of several processes comes first.
import type { Database } from './client.ts'

/**
 * Records that a confirmation is used, and forgets those that have expired.
 * @param expiresAt UTC epoch milliseconds from which nobody accepts it anyway; as `now`
 * @returns true the first time, false ever after; on disk when it resolves
 */
export function spendOnce(db: Database, nonce: string, expiresAt: number, now: number): Promise<boolean> {
  return db.write(({ sqlite }) => {
    sqlite.prepare('DELETE FROM spent_confirmations WHERE expires_at <= ?').run(now)
    const { changes } = sqlite
      .prepare('INSERT INTO spent_confirmations (nonce, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING')
      .run(nonce, expiresAt)
    return changes === 1
  })
}
