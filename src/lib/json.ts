// JSON in one canonical spelling: keys sorted by code unit at every depth, so equal values give equal bytes.

/**
 * @param indent spaces per level; 0 for the compact form
 * @throws TypeError on cycles, as JSON.stringify does
 */
export function canonicalJson(value: unknown, indent = 0): string {
  return JSON.stringify(sortKeys(value), undefined, indent) ?? 'null'
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const sorted: [string, unknown][] = Object.entries(value)
    .filter(([, child]) => child !== undefined && typeof child !== 'function')
    .toSorted(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
    .map(([key, child]) => [key, sortKeys(child)])
  return Object.fromEntries(sorted)
}

/** A JSON object: not null, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value where it is a JSON object, else an empty one. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

/** Freezes a tree of plain objects and arrays, and returns it. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const child of Object.values(value)) deepFreeze(child)
  return value
}
