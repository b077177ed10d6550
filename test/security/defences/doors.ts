// At the doors: what the security matrix tries on every route.
import { inFile } from './defence.ts'

const CALLERS = 'a route for AI clients opens to a token that is alive and for it, and to nothing else'
const OWNERS = 'a route of the owner opens to a session that lives, and to nothing else'

export const doors = inFile('matrix', [
  {
    attack: 'an expired session of the owner',
    file: 'src/operator/sessions.ts',
    text: 'session === undefined || !isLive(session, now)',
    without: 'session === undefined',
    test: OWNERS,
  },
  {
    attack: 'a cookie that nobody signed',
    file: 'plugins/armour/cookies.ts',
    text: 'return opened?.valid === true && opened.value.startsWith(`${name}.`)\n        ? opened.value.slice(name.length + 1)',
    without: "return signed !== undefined && opened !== undefined\n        ? (signed.split('.')[1] ?? '')",
    test: 'the signature of a cookie is looked at, and the name in it',
  },
  {
    attack: 'a route of the owner without a session',
    file: 'plugins/doors/operator.ts',
    text: 'if (session === undefined) return next(isWithin ? loginRequired()',
    without: 'if (session === undefined) return next(isWithin ? undefined',
    test: OWNERS,
  },
  {
    attack: 'a revoked session of the owner',
    file: 'src/operator/queries.ts',
    text: "eq(operatorSessions.hash, sql.placeholder('hash')), isNull(operatorSessions.revokedAt)",
    without: "eq(operatorSessions.hash, sql.placeholder('hash'))",
    test: OWNERS,
  },
  {
    attack: 'an expired local token',
    file: 'src/oauth/local-tokens.ts',
    text: 'return row.expiresAt !== null && row.expiresAt <= now ? undefined : row\n',
    without: 'return row\n',
    test: CALLERS,
  },
  {
    attack: 'a credential of another door',
    file: 'plugins/doors/caller.ts',
    text: 'if (!(error instanceof AccessError)) throw error\n    strangers.charge(stranger, now)',
    without:
      "if (token === undefined) return tokens.verify(tokens.list()[0]?.name ?? '')\n    strangers.charge(stranger, now)",
    test: CALLERS,
  },
])
