// Tells whoever keeps something that was made from the sections of crow.md that they have changed. Said by what changes
// them in this process, at once, and by the watch when another process did.
import type { Database } from '../../db/client.ts'

const listeners = new WeakMap<Database, Set<() => void>>()

/** @returns ends it */
export function onSectionsChanged(db: Database, listener: () => void): () => void {
  const known = listeners.get(db) ?? new Set()
  listeners.set(db, known)
  known.add(listener)
  return () => void known.delete(listener)
}

/** Called after the commit: a listener may read at once. */
export function sectionsChanged(db: Database): void {
  for (const listener of listeners.get(db) ?? []) listener()
}
