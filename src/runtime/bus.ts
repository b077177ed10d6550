// Changes that clients may have subscribed to. Everything that emits or listens shares one bus per process.

/** A list changed, of one server or of any; or one resource did. */
export type Change =
  | { readonly kind: 'tools' | 'prompts' | 'resources'; readonly server?: string }
  | { readonly kind: 'resource'; readonly uri: string }

/** Whether a change is news for those who are connected to this server: its own, that of a server it shows, or anybody's. */
export function concerns(change: Change, { id, parts }: { readonly id: string; readonly parts: Parts }): boolean {
  if (change.kind === 'resource' || change.server === undefined || change.server === id) return true
  return parts.some((part) => part.id === change.server)
}

type Parts = readonly { readonly id: string }[]

export interface ChangeBus {
  /** Calls every listener at once, in order of subscription. A listener that throws does not stop the others. */
  emit(change: Change): void
  /** @returns a function that ends the subscription; calling it twice is harmless */
  on(listener: (change: Change) => void): () => void
}

/** @param onError told about a listener that threw; default: the error is rethrown on a fresh tick */
export function createBus(onError: (error: unknown) => void = rethrow): ChangeBus {
  const listeners = new Set<(change: Change) => void>()
  return Object.freeze({
    emit(change: Change): void {
      for (const listener of listeners) {
        try {
          listener(change)
        } catch (error) {
          onError(error)
        }
      }
    },
    on(listener: (change: Change) => void): () => void {
      const own = (change: Change) => listener(change)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
  })
}

function rethrow(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
