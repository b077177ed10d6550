// Leases: which of several processes may do something now. A lease is one row; it ends by itself, so a holder that was
// killed blocks nobody for longer than the time it asked for.
import type { Database, Tx } from './client.ts'

export interface Lease {
  /** What is held, for example `schedules`. */
  readonly name: string
  /** Who holds it: unique per process start. */
  readonly holder: string
  /** How long it is held unless renewed. The same for every holder of one name. */
  readonly ttlMs: number
}

/**
 * Takes or renews a lease inside a write, so that it commits together with what it protects.
 * A row that ends further ahead than anybody may ask for was written before the clock was set back; it counts as free.
 * @param now UTC epoch milliseconds
 * @returns whether it is ours until `now + ttlMs`
 */
export function takeLeaseIn(tx: Tx, lease: Lease, now: number): boolean {
  const { changes } = tx.sqlite
    .prepare(
      `INSERT INTO leases (name, holder, expires_at) VALUES (:name, :holder, :now + :ttlMs)
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
       WHERE leases.holder = excluded.holder OR leases.expires_at <= :now OR leases.expires_at > excluded.expires_at`,
    )
    .run({ ...lease, now })
  return changes === 1
}

/** `takeLeaseIn` as a write of its own. */
export function takeLease(db: Database, lease: Lease, now: number): Promise<boolean> {
  return db.write((tx) => takeLeaseIn(tx, lease, now))
}

/** Gives a lease back early, inside a write. Does nothing where it is no longer ours. */
export function releaseLeaseIn(tx: Tx, { name, holder }: Pick<Lease, 'name' | 'holder'>): void {
  tx.sqlite.prepare('DELETE FROM leases WHERE name = ? AND holder = ?').run(name, holder)
}

/** `releaseLeaseIn` as a write of its own. */
export function releaseLease(db: Database, lease: Pick<Lease, 'name' | 'holder'>): Promise<void> {
  return db.write((tx) => releaseLeaseIn(tx, lease))
}
