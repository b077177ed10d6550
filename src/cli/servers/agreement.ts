// Whether an entry can be a server at all, and whether the owner wants it to run: both before anything is written.
import { GatewayError } from '../../errors.ts'
import { configuredOf, namesTarget } from '../../upstream/configured.ts'
import type { Raw } from '../../upstream/entry-fields.ts'
import { integrationOf } from '../../upstream/integrations.ts'
import { secretName } from '../../upstream/variables.ts'
import type { Terminal } from '../terminal.ts'
import { visible } from '../visible.ts'
import { confirmStart, targetLine, type Consent } from './consent.ts'
import type { Place } from './place.ts'

export const consentOptions = {
  yes: { type: 'flag', short: 'y', help: 'do not ask whether the program may be started' },
  'accept-unverified': { type: 'flag', help: 'start an integration whose package nobody vouches for' },
} as const

export function consentIn(options: { yes?: boolean | undefined; 'accept-unverified'?: boolean | undefined }): Consent {
  return { yes: options.yes === true, acceptUnverified: options['accept-unverified'] === true }
}

export interface Wanted {
  readonly id: string
  readonly raw: Raw
  /** Not stored yet. */
  readonly secrets: ReadonlyMap<string, string>
}

/**
 * The entry to write, after it was found to be one, and the owner agreed.
 * @throws GatewayError SERVER_INVALID, SERVER_UNCONFIRMED
 */
export async function agreed(
  terminal: Terminal,
  place: Place,
  { id, raw, secrets }: Wanted,
  consent: Consent,
): Promise<Raw> {
  const { owner } = place
  const fresh = new Map([...secrets].map(([name, value]) => [secretName(id, name), value]))
  const read = (name: string): string | undefined => fresh.get(name) ?? owner.secrets.read(name)
  // Whether it may run is asked after whether it could.
  const { problems, notes, specs } = configuredOf(new Map([[id, { ...raw, acceptUnverified: true }]]), {
    ...owner,
    secrets: { read },
  })
  const problem = problems.find((one) => one.id === id)
  if (problem !== undefined) throw new GatewayError('invalid', 'SERVER_INVALID', problem.message)
  for (const note of notes.filter((one) => one.id === id)) terminal.err(visible(note.message))
  await confirmStart(terminal, id, raw, consent)
  const [spec] = specs.filter((one) => one.id === id)
  if (spec !== undefined && spec.target.kind !== 'stdio') terminal.err(`${id} is at ${targetLine(spec.target)}`)
  const isDoubtful = !namesTarget(raw) && integrationOf(id)?.verified === false
  return isDoubtful ? { ...raw, acceptUnverified: true } : raw
}
