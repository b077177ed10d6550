// An integration with the owner's settings for it, made into an entry like any other.
import { isRecord } from '../lib/json.ts'
import { readEntry, type Entry, type Surroundings } from './entry.ts'
import { EntryError, flagIn, type Raw } from './entry-fields.ts'
import type { Integration } from './integrations.ts'
import { expand } from './variables.ts'

/**
 * @param settings what stands in `servers.json` under its id, without a command; undefined where nothing does
 * @returns undefined where nobody asked for it: nothing stands there, and not all its variables are set
 * @throws EntryError
 */
export function integrationEntry(
  integration: Integration,
  settings: Raw | undefined,
  surroundings: Surroundings,
): Entry | undefined {
  const { id, variables, verified } = integration
  const isOff = settings?.['disabled'] === true || settings?.['enabled'] === false
  const { values, problem } = valuesOf(integration, settings, surroundings)
  if (settings === undefined && (problem !== undefined || variables.length === 0)) return undefined
  if (problem !== undefined && !isOff) throw new EntryError(problem)
  if (!verified && !isOff && flagIn(settings ?? {}, 'acceptUnverified') !== true)
    throw new EntryError(
      `is not started: nobody we know of vouches for its package; crow servers enable ${id} --accept-unverified takes it all the same`,
    )
  return readEntry(id, rawOf(integration, settings, values, surroundings), 'integration', surroundings)
}

type Filled = Readonly<Record<string, string>>

/** From the settings first, then from the environment. */
function valuesOf(
  { variables }: Integration,
  settings: Raw | undefined,
  surroundings: Surroundings,
): { values: Filled; problem: string | undefined } {
  const written = settings?.['env']
  let problem: string | undefined
  const values = variables.map((name) => {
    const own = isRecord(written) && Object.hasOwn(written, name) ? written[name] : undefined
    const found = expand(typeof own === 'string' ? own : `\${${name}}`, surroundings)
    problem ??= found.problems[0] ?? (found.text === '' ? `needs the variable ${name}, which is empty` : undefined)
    return [name, found.text] as const
  })
  return { values: Object.fromEntries(values), problem }
}

function rawOf(integration: Integration, settings: Raw = {}, values: Filled, surroundings: Surroundings): Raw {
  const { name, command, url, variables } = integration
  const { env: written, ...rest } = settings
  const more = isRecord(written) ? Object.entries(written).filter(([key]) => !variables.includes(key)) : []
  const args = (integration.args ?? []).map((text) => expand(text, { ...surroundings, environment: values }).text)
  const launch =
    url === undefined
      ? {
          command,
          args: args.map(literal),
          env: { ...literals(integration.env?.(values) ?? values), ...Object.fromEntries(more) },
        }
      : { url, headers: literals(integration.headers?.(values) ?? {}) }
  return { title: name, ...rest, ...launch }
}

const literals = (map: Filled): Filled =>
  Object.fromEntries(Object.entries(map).map(([key, text]) => [key, literal(text)]))

/** A value is not looked into for references. */
const literal = (text: string): string => text.replaceAll('${', () => '$${')
