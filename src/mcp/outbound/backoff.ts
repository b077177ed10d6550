// How long to wait before the next try of something that failed.

const FIRST_MS = 500
const MOST_MS = 30_000

/** Doubles with every failure, with a part by chance so that many do not come back at once. @returns milliseconds */
export function backoff(failures: number, random: () => number = Math.random): number {
  const most = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures, 16))
  return Math.round(most / 2 + (random() * most) / 2)
}
