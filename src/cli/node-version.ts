// The oldest Node that can run this program. Imports nothing and uses old syntax only: it has to run where the rest cannot.

const OLDEST = [22, 18] as const

/** One sentence when this Node is too old, undefined otherwise. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined
  return `this needs Node.js ${OLDEST.join('.')} or newer, and ${version} is running it; start it with bin/crow, which finds a newer one.`
}
