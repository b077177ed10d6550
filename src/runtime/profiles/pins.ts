// Which names may be pinned: those of tools that are here, each once.
import { DomainError } from '../../errors.ts'
import { nearestOf } from '../../lib/nearest.ts'
import { everyone } from '../compile-server.ts'
import type { CompiledServer } from '../compiled.ts'
import { saidName } from '../said-name.ts'

/** Of more, the direct list is the better profile. */
const PINS_MAX = 64
const NAMES_NEAR = 3

/**
 * @param typed public names, or the tool's own where that means one tool
 * @param kept names that were pinned before: whoever serves them may be off at the moment
 * @throws DomainError PROFILE_INVALID
 */
export function pinsOf(
  servers: readonly CompiledServer[],
  typed: readonly string[],
  kept: readonly string[],
): string[] {
  const tools = servers.filter(({ derived }) => !derived).flatMap((server) => server.usable(everyone))
  const names = new Set(tools.map(({ publicName }) => publicName))
  const pins = typed.map((name) => {
    if (names.has(name) || kept.includes(name)) return name
    const meant = [...new Set(tools.filter((tool) => tool.name === name).map(({ publicName }) => publicName))]
    const [only] = meant
    if (only !== undefined && meant.length === 1) return only
    throw noTool(name, meant.length > 1 ? meant : nearestOf(saidName(name), [...names], NAMES_NEAR))
  })
  const unique = [...new Set(pins)].toSorted()
  if (unique.length > PINS_MAX)
    throw new DomainError('invalid', 'PROFILE_INVALID', `At most ${PINS_MAX} tools can be pinned.`, {
      hint: 'The profile direct lists every tool by its own name.',
    })
  return unique
}

const noTool = (name: string, near: readonly string[]): DomainError =>
  new DomainError(
    'invalid',
    'PROFILE_INVALID',
    `There is no tool ${JSON.stringify(saidName(name))} to pin.`,
    near.length === 0 ? {} : { hint: `Nearest: ${near.join(', ')}.` },
  )
