// Waiting for work to end, up to a bound.

const LOOK_EVERY_MS = 20

/** Resolves when `isBusy` says no, or after `graceMs`. */
export async function untilIdle(isBusy: () => boolean, graceMs: number): Promise<void> {
  const turns = Math.ceil(graceMs / LOOK_EVERY_MS)
  for (let turn = 0; turn < turns && isBusy(); turn++)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
}
