// What the owner sees before a program is started in their name, and the question.
import type { Target } from '../../lib/link.ts'
import { GatewayError } from '../../errors.ts'
import { isRecord } from '../../lib/json.ts'
import type { Raw } from '../../upstream/entry-fields.ts'
import { integrationOf, type Integration } from '../../upstream/integrations.ts'
import { shellLine } from '../launch.ts'
import type { Terminal } from '../terminal.ts'
import { visible } from '../visible.ts'

/** The command line as it stands in the file, with references where secrets are; undefined for a server with a URL. */
export function commandLineOf(id: string, raw: Raw): string | undefined {
  const known = integrationOf(id)
  const { command = known?.command, args = known?.args ?? [] } = raw
  if (typeof command !== 'string') return undefined
  const words = Array.isArray(args) ? args.map(String) : []
  return visible(shellLine([command, ...words]))
}

/** What the target is, for a person: no value of a variable or header. */
export function targetLine(target: Target): string {
  return target.kind === 'stdio' ? visible(shellLine([target.command, ...target.args])) : new URL(target.url).origin
}

export interface Consent {
  /** Said on the command line. */
  readonly yes: boolean
  readonly acceptUnverified: boolean
}

/**
 * Shows the exact command line and asks. Servers with a URL start nothing here, so nothing is asked.
 * @throws GatewayError SERVER_UNCONFIRMED
 */
export async function confirmStart(terminal: Terminal, id: string, raw: Raw, consent: Consent): Promise<void> {
  const line = commandLineOf(id, raw)
  const integration = raw['command'] === undefined && raw['url'] === undefined ? integrationOf(id) : undefined
  const isDoubtful = integration?.verified === false && !consent.acceptUnverified
  if (line === undefined && !isDoubtful) return
  terminal.err(`${id} runs this program with your rights, whenever it is needed:`)
  terminal.err(`  ${line ?? ''}`)
  const names = isRecord(raw['env']) ? Object.keys(raw['env']) : []
  if (names.length > 0) terminal.err(`  with ${visible(names.join(', '))}`)
  if (isDoubtful) warnOf(terminal, integration)
  const isAgreed = consent.yes && !isDoubtful
  if (isAgreed || (terminal.isInteractive && /^y(es)?$/i.test(await terminal.ask('Is that what you want? [y/N] '))))
    return
  const flag = isDoubtful ? '--accept-unverified' : '--yes'
  throw new GatewayError('invalid', 'SERVER_UNCONFIRMED', `${id} was not confirmed, so nothing was changed`, {
    hint: terminal.isInteractive ? `Answer y, or add ${flag}.` : `Where nobody can be asked, ${flag} confirms it.`,
  })
}

function warnOf(terminal: Terminal, { docsUrl }: Integration): void {
  terminal.err(
    '  Nobody we know of vouches for this package: whoever owns its name decides what the next version does.',
  )
  terminal.err(`  Look at it first: ${docsUrl}`)
}
