// At the authorization server: redirects, proofs, codes, tokens, and what their holders may ask.
import { inFile } from './defence.ts'

const REFRESH = 'a refresh token that comes back after its successor was used ends the family'
const TOKENS = 'a token for another server, of another issuer, expired or forged is answered by a challenge'
const PROFILE = 'a profile in a resource is the router and nothing more, and nothing else in a query is taken'
const SPY = 'another client learns nothing of a token, and cannot end it'

export const authorization = inFile('authorization', [
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
    file: 'plugins/oauth/token.ts',
    text: "if (typeof successor === 'string' && !isUnspent(database, successor)) return false",
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
    attack: '19 a token for another server',
    file: 'plugins/doors/caller.ts',
    text: 'if (entry.server !== EVERY_SERVER && entry.server !== server) return',
    without: 'if (entry.server === undefined) return',
    test: TOKENS,
  },
  {
    attack: '19 a profile in the name of a resource that has none',
    file: 'src/oauth/addresses.ts',
    text: 'return profile === undefined || (server !== undefined && profiled.has(server)) ? server : undefined',
    without: 'return profile === undefined || server !== undefined ? server : undefined',
    test: PROFILE,
  },
  {
    attack: '19 anything in the query of a resource',
    file: 'src/oauth/addresses.ts',
    text: 'resource.startsWith(PROFILE, at) && isProfileName(name)',
    without: 'resource.startsWith(PROFILE, at)',
    test: PROFILE,
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
    text: 'resourceMetadata: urls.metadataUrlOf(path + urls.profileIn(path, request.query), request.raw.headers.host),',
    without: '',
    test: TOKENS,
  },
  {
    attack: '21 one document for every mount',
    file: 'plugins/oauth/metadata.ts',
    text: 'resource: urls.urlFor(path + urls.profileIn(path, query), headers.host),',
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
])
