// How deep a value of a stranger may be. What is deeper is meant to exhaust whoever walks through it, copies it or writes it as
// text, so it goes no further than to here.

/** Of what a server says of itself and of each thing that it has. */
export const ENTRY_DEPTH_MAX = 64
/** Of what it answers: data may be a tree. */
export const RESULT_DEPTH_MAX = 512

/** Whether nothing in it lies deeper. Looks without recursion, so that any depth can be asked about. */
export function isShallow(value: unknown, depthMax: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= depthMax; depth++) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
    if (level.length === 0) return true
  }
  return false
}
