// What the owner does to profiles, for the audit trail: the same operations, each with a row.
import type { AccessEvent, AuditLog } from '../../db/audit.ts'
import { GatewayError } from '../../errors.ts'
import type { Profiles } from './profiles.ts'

export function auditedProfiles(
  profiles: Profiles,
  audit: Pick<AuditLog, 'access'>,
  by: () => 'operator' | 'cli',
): Profiles {
  const noted = async <T>(
    event: AccessEvent['event'] & `profile_${string}`,
    subject: string,
    work: Promise<T>,
  ): Promise<T> => {
    const note = (outcome: string): void => audit.access({ event, outcome, caller: by(), callerKind: by(), subject })
    try {
      const done = await work
      note('ok')
      return done
    } catch (error) {
      if (error instanceof GatewayError) note(error.code)
      throw error
    }
  }
  return {
    ...profiles,
    define: (name, wish) => noted('profile_set', `profile:${name}`, profiles.define(name, wish)),
    give: (client, wish) => noted('profile_set', `client:${client}`, profiles.give(client, wish)),
    take: (client) => noted('profile_remove', `client:${client}`, profiles.take(client)),
    remove: (name) => noted('profile_remove', `profile:${name}`, profiles.remove(name)),
  }
}
