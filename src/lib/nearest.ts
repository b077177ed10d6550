// "Did you mean …?": the known name that a mistyped one most likely stands for.

/** A name further away than this many edits, or than a third of its length, is no help. */
const EDITS_MAX = 3

/**
 * The candidate nearest to `name` by edits (insert, delete, replace, swap of neighbours), case and `-`/`_` ignored.
 * A candidate that begins or ends with `name` counts as near. Undefined when nothing is near enough.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = folded(name)
  if (wanted === '') return undefined
  let best: string | undefined
  let bestDistance = Math.min(EDITS_MAX, Math.max(1, Math.floor(wanted.length / 3))) + 1
  for (const candidate of candidates) {
    const known = folded(candidate)
    const distance = isPart(wanted, known) ? 1 : edits(wanted, known, bestDistance)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** How many edits lie between two names: insert, delete, replace, or swap of neighbours (optimal string alignment). */
const distance = (from: string, to: string): number => edits(from, to, Infinity)

/**
 * The candidates that lie nearest, best first, however far that is: the one that is `nearest`, then by edits.
 * @param count how many at most
 */
export function nearestOf(name: string, candidates: readonly string[], count: number): string[] {
  const near = nearest(name, candidates)
  const wanted = folded(name)
  const ranked = candidates
    .map((candidate) => ({ candidate, far: distance(wanted, folded(candidate)) }))
    .toSorted((one, other) => one.far - other.far)
    .map(({ candidate }) => candidate)
  return [...new Set([...(near === undefined ? [] : [near]), ...ranked])].slice(0, count)
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll('-', '_')
}

function isPart(wanted: string, known: string): boolean {
  return wanted.length >= 3 && wanted !== known && (known.startsWith(wanted) || known.endsWith(wanted))
}

/** Optimal string alignment distance, given up early once it reaches `limit`. */
function edits(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) >= limit) return limit
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      )
    }
    if (Math.min(...current) >= limit) return limit
    beforeLast = last
    last = current
  }
  return last[to.length] ?? limit
}
