// For every attack that is tested here, the switch that takes its defence away: one replacement in one file, and the test that has
// to fail with it. `npm run mutate` tries them all; a test sees to it that each replacement still fits its file.

export interface Defence {
  /** What an attacker tries. */
  readonly attack: string
  readonly file: string
  /** Stands exactly once in the file. */
  readonly text: string
  readonly without: string
  /** In test/security. */
  readonly tests: string
  /** The name of the test that fails. */
  readonly test: string
}

const ORIGINS = 'a page of any other origin is refused at every mount, with the token of the owner in hand'
const SESSIONS = 'the session of somebody else is unknown, with a good token and with none, and never read from a URL'
const BESIDE = 'a message beside an event stream without a session, or with that of somebody else, is nobody’s'
const HELLOS = 'thousands who say hello and never leave are bounded, and who is at work stays'
const STREAMS = 'one stream more than the bound is refused with a time to come back, and leaves nothing behind'
const CONSENT = 'nothing skips consent: no cookie, no silent prompt, no second client at the same redirect'
const PAGE = 'the consent page cannot be framed, shows names inert and says where the answer goes'
const FORMS = 'another site cannot make the browser of the owner consent, or send any form of his'
const FLOOD = 'a flood of registrations is stopped, and what one may hold is bounded'
const REFRESH = 'a refresh token that comes back after its successor was used ends the family'
const TOKENS = 'a token for another server, of another issuer, expired or forged is answered by a challenge'
const SPY = 'another client learns nothing of a token, and cannot end it'
const READER = 'who may only read cannot write or destroy, on any way to a tool'
const SECRETS = 'of five secrets none can be read in the log, in errors, in the trail or in any file'
const OPEN = 'without tokens it starts on this machine only, with no public address and not in production'
const KEYS = 'a weak key, an exposed key file and a set-up token that can be guessed are refused'
const CALLERS = 'a route for AI clients opens to a token that is alive and for it, and to nothing else'
const OWNERS = 'a route of the owner opens to a session that lives, and to nothing else'
const JSONS = 'JSON that hides something for later, or is too deep to walk, reaches no tool'

const transport: readonly Omit<Defence, 'tests'>[] = [
  {
    attack: '1 a foreign page calls with its own Origin',
    file: 'plugins/armour/network.ts',
    text: 'else return next(foreignOrigin())',
    without: 'else allowOrigin(reply.raw, origin)',
    test: ORIGINS,
  },
  {
    attack: '2 a name is rebound to this machine',
    file: 'plugins/armour/network.ts',
    text: 'if (host === undefined || !admitsHost(host, raw.socket))',
    without: 'if (host === undefined)',
    test: 'a name that was rebound to this machine is refused at every mount',
  },
  {
    attack: '4 a session id is stolen',
    file: 'src/mcp/sessions.ts',
    text: ' || session.callerId !== callerId',
    without: '',
    test: SESSIONS,
  },
  {
    attack: '5 a message without a session is attributed to the only client',
    file: 'src/mcp/sse-endpoint.ts',
    text: 'if (sessionId === undefined)',
    without: "if (sessionId === '')",
    test: BESIDE,
  },
  {
    attack: '5 a message with the session of somebody else',
    file: 'src/mcp/sessions.ts',
    text: ' || session.callerId !== callerId',
    without: '',
    test: BESIDE,
  },
  {
    attack: '6 headers name another tool than the body',
    file: 'src/mcp/hot-path.ts',
    text: "headers['mcp-name'] !== params['name'] || ",
    without: '',
    test: 'headers that name another method or tool than the body are refused, and nothing runs',
  },
  {
    attack: '6 headers name another method than the body',
    file: 'src/mcp/hot-path.ts',
    text: "if (params === undefined || headers['mcp-method'] !== method) return undefined",
    without: 'if (params === undefined) return undefined',
    test: 'headers that name another method or tool than the body are refused, and nothing runs',
  },
  {
    attack: '7 keys that change prototypes',
    file: 'plugins/armour/body.ts',
    text: "app.getDefaultJsonParser('error', 'error')",
    without: "app.getDefaultJsonParser('ignore', 'ignore')",
    test: JSONS,
  },
  {
    attack: '7 JSON that costs more than its bytes',
    file: 'plugins/armour/body.ts',
    text: 'if (excess !== undefined) return next(tooMuch(excess))',
    without: '',
    test: JSONS,
  },
  {
    attack: '8 thousands of sessions',
    file: 'src/mcp/sessions.ts',
    text: 'if (own >= this.#bounds.perCallerMax && !this.#evict(callerId)) return false',
    without: 'if (own < 0) return false',
    test: HELLOS,
  },
  {
    attack: '8 one stream more than the bound',
    file: 'src/lib/stream-budget.ts',
    text: 'if (this.#open >= this.#max)',
    without: 'if (this.#open < 0)',
    test: STREAMS,
  },
  {
    attack: '9 a stream is picked up by its last event',
    file: 'src/mcp/sessions.ts',
    text: ' || session.callerId !== callerId',
    without: '',
    test: 'the stream of somebody else cannot be picked up by the id of its last event',
  },
]

const wire: readonly Omit<Defence, 'tests'>[] = [
  {
    attack: '3 a form of a foreign page',
    file: 'plugins/armour/body.ts',
    text: "app.addContentTypeParser<Buffer>('application/json',",
    without: "app.addContentTypeParser<Buffer>('*',",
    test: 'a page cannot plant a memory with a form or a plain-text request',
  },
  {
    attack: '7 twenty megabytes',
    file: 'plugins/mcp/index.ts',
    text: 'bodyLimit: app.config.bodyBytesMax,\n',
    without: 'bodyLimit: 64 << 20,\n',
    test: 'a body of twenty megabytes is refused, announced or not, and memory stays bounded',
  },
]

const authorization: readonly Omit<Defence, 'tests'>[] = [
  {
    attack: '10 a redirect that reads as another host',
    file: 'src/oauth/redirects.ts',
    text: "if (url.username + url.password !== '' || WITH_USER.test(written)) return",
    without: "if (url.protocol === '') return",
    test: 'a redirect that is not exactly the registered one sends nobody anywhere',
  },
  {
    attack: '10 a redirect that runs something',
    file: 'src/oauth/redirects.ts',
    text: 'return isOfProgram(url.protocol)',
    without: "return url.protocol !== ''",
    test: 'a redirect that is not exactly the registered one sends nobody anywhere',
  },
  {
    attack: '11 no proof of possession',
    file: 'plugins/oauth/configuration.ts',
    text: 'pkce: { required: () => true }',
    without: 'pkce: { required: () => false }',
    test: 'without a proof of possession by S256 there is no code and no token',
  },
  {
    attack: '12 a code comes twice',
    file: 'src/oauth/store/adapter.ts',
    text: "if (row.consumedAt !== null) payload['consumed']",
    without: "if (row.consumedAt === -1) payload['consumed']",
    test: 'a code that comes twice ends what it bought, and another client cannot redeem it',
  },
  {
    attack: '13 an old refresh token within the moments of its replay',
    file: 'src/oauth/refresh-flights.ts',
    text: 'if (parent !== undefined && earlier !== undefined) forget(parent, earlier)',
    without: '',
    test: REFRESH,
  },
  {
    attack: '13 an old refresh token',
    file: 'src/oauth/store/adapter.ts',
    text: "if (row.consumedAt !== null) payload['consumed']",
    without: "if (row.consumedAt === -1) payload['consumed']",
    test: REFRESH,
  },
  {
    attack: '13 two refreshes at once lock the client out',
    file: 'src/oauth/refresh-flights.ts',
    text: 'const known = flights.get(key)',
    without: 'const known = undefined as Flight<Answer> | undefined',
    test: REFRESH,
  },
  {
    attack: '14 the consent to one client counts for another',
    file: 'plugins/oauth/grant.ts',
    text: '  return {\n    clientId: client.clientId,',
    without: "  return {\n    clientId: 'any',",
    test: CONSENT,
  },
  {
    attack: '14 a program on the machine takes the place of another',
    file: 'plugins/oauth/policy.ts',
    text: 'ctx.oidc.entities.Grant?.jti === undefined ? Check.REQUEST_PROMPT',
    without: 'ctx.oidc.entities.Grant?.jti === null ? Check.REQUEST_PROMPT',
    test: CONSENT,
  },
  {
    attack: '14 cookies of an ended session',
    file: 'plugins/oauth/policy.ts',
    text: 'ctx.oidc.session?.accountId === OPERATOR && isOperatorLive(ctx)',
    without: 'ctx.oidc.session?.accountId === OPERATOR',
    test: CONSENT,
  },
  {
    attack: '15 the consent page is framed',
    file: 'plugins/armour/pages.ts',
    text: '"frame-ancestors \'none\'",',
    without: '',
    test: PAGE,
  },
  {
    attack: '15 a name reads as another one',
    file: 'src/pages/inert.ts',
    text: ".replace(INVISIBLE, ' ')",
    without: '',
    test: PAGE,
  },
  {
    attack: '15 a name is markup',
    file: 'src/lib/html.ts',
    text: 'ENTITIES[character] ?? character',
    without: 'character',
    test: PAGE,
  },
  {
    attack: '16 another site sends the form of consent',
    file: 'plugins/oauth/interaction.ts',
    text: '    refuseForeignForm(request)\n',
    without: '',
    test: FORMS,
  },
  {
    attack: '16 another site sends the forms of the dashboard',
    file: 'plugins/doors/operator.ts',
    text: '    refuseForeignForm(request)\n',
    without: '',
    test: FORMS,
  },
  {
    attack: '16 another page of this machine sends a form',
    file: 'plugins/armour/self.ts',
    text: "if (site !== undefined && site !== 'same-origin') throw foreignForm()",
    without: '',
    test: FORMS,
  },
  {
    attack: '16 a browser that says nothing of where a form comes from',
    file: 'plugins/armour/self.ts',
    text: 'if (origin === undefined ? site === undefined : !isOwn(request, origin)) throw foreignForm()',
    without: '',
    test: FORMS,
  },
  {
    attack: '17 thousands of registrations',
    file: 'plugins/oauth/index.ts',
    text: "const COUNTED = { applicant: { refund: 'never' } } as const",
    without: "const COUNTED = { applicant: { refund: 'success' } } as const",
    test: FLOOD,
  },
  {
    attack: '17 a thousand redirects',
    file: 'src/oauth/registration.ts',
    text: 'const REDIRECTS_MAX = 16',
    without: 'const REDIRECTS_MAX = 1600',
    test: FLOOD,
  },
  {
    attack: '17 a megabyte of metadata',
    file: 'src/oauth/registration.ts',
    text: 'REGISTRATION_BYTES_MAX = 16 << 10',
    without: 'REGISTRATION_BYTES_MAX = 16 << 20',
    test: FLOOD,
  },
  {
    attack: '18 the address of a client lies inside',
    file: 'src/lib/guarded-fetch.ts',
    text: '!addresses.every(isPublic)',
    without: '!addresses.some(isPublic)',
    test: 'the address of a client leads nobody inside, and nothing from there is shown',
  },
  {
    attack: '18 a private address in another spelling',
    file: 'src/lib/public-address.ts',
    text: 'return family === 6 && unicast.check(address',
    without: 'return family === 6 || unicast.check(address',
    test: 'the address of a client leads nobody inside, and nothing from there is shown',
  },
  {
    attack: '19 a token for another server',
    file: 'plugins/doors/caller.ts',
    text: 'if (entry.server !== EVERY_SERVER && entry.server !== server) return',
    without: 'if (entry.server === undefined) return',
    test: TOKENS,
  },
  {
    attack: '19 a token of another issuer',
    file: 'src/oauth/access-tokens.ts',
    text: "typeof aud === 'string' ? addresses.serverOf(aud) : undefined",
    without: "typeof aud === 'string' ? (addresses.serverOf(aud) ?? 'all') : undefined",
    test: TOKENS,
  },
  {
    attack: '19 a token that expired',
    file: 'src/oauth/access-tokens.ts',
    text: ' || row.token.expiresAt <= now',
    without: '',
    test: TOKENS,
  },
  {
    attack: '19 no challenge',
    file: 'plugins/doors/challenge.ts',
    text: 'resourceMetadata: urls.metadataUrlOf(config.resource ?? url, request.raw.headers.host),',
    without: '',
    test: TOKENS,
  },
  {
    attack: '21 one document for every mount',
    file: 'plugins/oauth/metadata.ts',
    text: 'resource: urls.urlFor(path, headers.host),',
    without: "resource: urls.urlFor('', headers.host),",
    test: 'every mount has its own document, and no header of a stranger changes an address in it',
  },
  {
    attack: '22 a client asks about the token of another',
    file: 'plugins/oauth/configuration.ts',
    text: "client.clientAuthMethod !== 'none' && token.clientId === client.clientId,",
    without: "client.clientAuthMethod !== 'none' && token !== undefined,",
    test: SPY,
  },
  {
    attack: '22 a client ends the token of another',
    file: 'plugins/oauth/configuration.ts',
    text: 'allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId }',
    without: 'allowedPolicy: () => true }',
    test: SPY,
  },
]

const memory: readonly Omit<Defence, 'tests'>[] = [
  {
    attack: '35 a reader writes',
    file: 'src/runtime/steps/permit.ts',
    text: "return tool.effect === 'read' || (level === 'write' && tool.effect !== 'destroy')",
    without: 'return true',
    test: READER,
  },
  {
    attack: '35 a stranger to the server reads',
    file: 'src/runtime/steps/permit.ts',
    text: "return scopes.has(guarded.readScope) ? 'read' : 'none'",
    without: "return 'read'",
    test: READER,
  },
  {
    attack: '36 query syntax in a search',
    file: 'src/search/candidates.ts',
    text: '`"${form.replaceAll(\'"\', \'""\')}"`',
    without: 'form',
    test: 'query syntax in any field of any tool is text, and the memory is whole afterwards',
  },
]

const secrets: readonly Omit<Defence, 'tests'>[] = [
  {
    attack: '37 a token in a message of the log',
    file: 'src/lib/log.ts',
    text: 'const text = maskSecrets(JSON.stringify(line))',
    without: 'const text = JSON.stringify(line)',
    test: SECRETS,
  },
  {
    attack: '37 a token in the database',
    file: 'src/oauth/store/conceal.ts',
    text: 'isBearer(model) ? digestOf(id) : id',
    without: 'id',
    test: SECRETS,
  },
  {
    attack: '37 the second factor in the database',
    file: 'src/operator/second-factor.ts',
    text: 'vault.seal(enrolment.secret, TOTP_PURPOSE)',
    without: 'enrolment.secret',
    test: SECRETS,
  },
]

const start: readonly Omit<Defence, 'tests'>[] = [
  {
    attack: '38 no tokens on an open address',
    file: 'src/config/derive.ts',
    text: 'if (!isLoopback(config.host)) problems.push',
    without: "if (config.host === '') problems.push",
    test: OPEN,
  },
  {
    attack: '38 no tokens with a public address',
    file: 'src/config/derive.ts',
    text: 'if (config.publicUrl !== null) problems.push',
    without: 'if (config.publicUrl === undefined) problems.push',
    test: OPEN,
  },
  {
    attack: '38 no tokens in production',
    file: 'src/config/derive.ts',
    text: 'if (config.production) problems.push',
    without: "if (config.host === '') problems.push",
    test: OPEN,
  },
  {
    attack: '38 an open bind without an address',
    file: 'src/config/derive.ts',
    text: 'if (isLoopback(host) || publicUrl !== null) return []',
    without: "if (host !== '') return []",
    test: 'it does not listen to other machines without knowing the address they use',
  },
  {
    attack: '38 a key file that others can read',
    file: 'src/secrets/key-ring.ts',
    text: '(stat.mode & 0o077) !== 0',
    without: '(stat.mode & 0o000) !== 0',
    test: KEYS,
  },
  {
    attack: '38 a key that is no accident',
    file: 'src/secrets/key.ts',
    text: 'const DISTINCT_BYTES_MIN = 16',
    without: 'const DISTINCT_BYTES_MIN = 0',
    test: KEYS,
  },
  {
    attack: '38 a set-up token that can be guessed',
    file: 'src/config/derive.ts',
    text: 'if (token === undefined) return []',
    without: "if (token !== '') return []",
    test: KEYS,
  },
  {
    attack: '38 a password that can be guessed',
    file: 'src/operator/password.ts',
    text: "if (weakness !== undefined) throw new DomainError('invalid', 'PASSWORD_WEAK', weakness)",
    without: '',
    test: 'there is no password before one is set, and a weak one is not taken',
  },
]

const matrix: readonly Omit<Defence, 'tests'>[] = [
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
]

const inFile = (tests: string, list: readonly Omit<Defence, 'tests'>[]): Defence[] =>
  list.map((defence) => ({ ...defence, tests: `test/security/${tests}.test.ts` }))

export const DEFENCES: readonly Defence[] = [
  ...inFile('transport', transport),
  ...inFile('attacks', wire),
  ...inFile('authorization', authorization),
  ...inFile('memory', memory),
  ...inFile('secrets', secrets),
  ...inFile('start', start),
  ...inFile('matrix', matrix),
]
