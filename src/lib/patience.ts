// Waiting for something to come true, up to a bound.

const LOOK_EVERY_MS = 10

/**
 * Resolves when `holds` says yes, or after `patienceMs`; at once when it says yes already.
 * @returns whether it held in the end
 */
export async function patiently(holds: () => boolean, patienceMs: number): Promise<boolean> {
  const deadline = performance.now() + patienceMs
  while (!holds()) {
    const leftMs = deadline - performance.now()
    if (leftMs <= 0) return false
    await new Promise((resolve) => setTimeout(resolve, Math.min(LOOK_EVERY_MS, leftMs)))
  }
  return true
}
