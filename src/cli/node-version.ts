// The oldest Node that can run this program. Imports nothing and uses old syntax only: it has to run where the rest cannot.

const OLDEST = [22, 18] as const

/** One sentence when this Node is too old, undefined otherwise. */
export function nodeProblem(
  version: string,
  platform: string = process.platform,
  arch: string = process.arch,
): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined
  const oldest = `Node.js ${OLDEST.join('.')} or newer`
  const cure = isPinned(platform, arch) ? 'start it with bin/crow, which finds a newer one' : `install ${oldest}`
  return `this needs ${oldest}, and ${version} is running it; ${cure}.`
}

/** Whether `npm ci` brings a Node of its own for such a machine (the optional dependencies of package.json). */
export function isPinned(platform: string, arch: string): boolean {
  return platform === 'linux' && (arch === 'x64' || arch === 'arm64')
}
