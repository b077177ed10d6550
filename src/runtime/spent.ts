// Confirmations that were used: each works once. Bounded, and forgotten when they could no longer be used anyway.

export interface SpentTokens {
  /** True the first time, false ever after. Must decide and record in one step. */
  spend(nonce: string, expiresAt: number, now: number): boolean | Promise<boolean>
}

const REMEMBERED_MAX = 10_000

/** For one process. Several processes that share a sealing key need one over shared storage. */
export function createSpentTokens(): SpentTokens {
  const spent = new Map<string, number>()
  return {
    spend(nonce: string, expiresAt: number, now: number): boolean {
      for (const [known, expiry] of spent) {
        if (expiry > now) break
        spent.delete(known)
      }
      if (spent.has(nonce) || spent.size >= REMEMBERED_MAX) return false
      spent.set(nonce, expiresAt)
      return true
    },
  }
}
