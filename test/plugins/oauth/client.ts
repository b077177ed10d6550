// A plain client of the authorization server: forms and JSON as a test wants them, right or wrong.
import assert from 'node:assert/strict'
import { Browser, pkce, type Arrival } from './browser.ts'
import type { OAuthApp } from './oauth-app.ts'

export const LOOPBACK = 'http://127.0.0.1:33418/callback'
/** A server that comes back at the same port is not asked over a connection of the one before. */
export const CLOSE = { connection: 'close' } as const
export const WEB = 'https://app.example/callback'

export interface JsonAnswer {
  readonly status: number
  readonly headers: Headers
  /** Fields of the JSON object that was answered. */
  readonly body: Readonly<Record<string, unknown>>
}

export async function read(response: Response): Promise<JsonAnswer> {
  const text = await response.text()
  const body: unknown = text === '' ? {} : JSON.parse(text)
  assert.ok(typeof body === 'object' && body !== null, text)
  return { status: response.status, headers: response.headers, body: Object.fromEntries(Object.entries(body)) }
}

export const textOf = ({ body }: JsonAnswer, name: string): string => {
  const value = body[name]
  assert.equal(typeof value, 'string', `${name} in ${JSON.stringify(body)}`)
  return String(value)
}

export async function register({ origin }: Pick<OAuthApp, 'origin'>, metadata: unknown): Promise<JsonAnswer> {
  const headers = { 'content-type': 'application/json', ...CLOSE }
  return read(await fetch(`${origin}/register`, { method: 'POST', headers, body: JSON.stringify(metadata) }))
}

export async function newClient(app: Pick<OAuthApp, 'origin'>, redirectUri = LOOPBACK, more = {}): Promise<string> {
  const answer = await register(app, { client_name: 'Probe', redirect_uris: [redirectUri], ...more })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return textOf(answer, 'client_id')
}

type Params = Readonly<Record<string, string | undefined>>

export async function post(
  { origin }: Pick<OAuthApp, 'origin'>,
  path: string,
  form: Params,
  headers: Record<string, string> = {},
): Promise<JsonAnswer> {
  return read(await fetch(origin + path, { method: 'POST', headers: { ...CLOSE, ...headers }, body: paramsOf(form) }))
}

export function paramsOf(form: Params): URLSearchParams {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(form)) if (value !== undefined) params.set(name, value)
  return params
}

export interface Begun {
  readonly url: string
  readonly verifier: string
}

/** The address an authorization begins at. */
export function begin({ origin }: Pick<OAuthApp, 'origin'>, clientId: string, more: Params = {}): Begun {
  const { verifier, challenge } = pkce()
  const params = paramsOf({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: LOOPBACK,
    state: 'a state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  })
  return { url: `${origin}/authorize?${params.toString()}`, verifier }
}

export interface Connection {
  readonly answer: JsonAnswer
  readonly access: string
  readonly refresh: string
  readonly browser: Browser
}

export interface ConnectOptions {
  readonly browser?: Browser
  /** Parameters of the authorization request. */
  readonly at?: Params
  /** Parameters of the token request. */
  readonly exchange?: Params
  readonly headers?: Record<string, string>
  readonly tick?: (shown: string[]) => string[] | 'deny'
}

/** The whole way: authorize, log in, consent, redeem. */
export async function connect(
  app: Pick<OAuthApp, 'origin'>,
  clientId: string,
  options: ConnectOptions = {},
): Promise<Connection> {
  const browser = options.browser ?? new Browser(app.origin)
  const { url, verifier } = begin(app, clientId, options.at)
  const code = codeIn(await browser.authorize(url, options.tick))
  const redirectUri = options.at?.['redirect_uri'] ?? LOOPBACK
  const answer = await redeem(app, { code, verifier, clientId, redirectUri, ...pick(options) })
  const field = (name: string): string => {
    const value = answer.body[name]
    return typeof value === 'string' ? value : ''
  }
  return { answer, access: field('access_token'), refresh: field('refresh_token'), browser }
}

const pick = ({ exchange, headers }: ConnectOptions) => ({
  ...(exchange === undefined ? {} : { exchange }),
  ...(headers === undefined ? {} : { headers }),
})

interface Redemption {
  readonly code: string
  readonly verifier: string
  readonly clientId: string
  readonly redirectUri?: string
  readonly exchange?: Params
  readonly headers?: Record<string, string>
}

export function redeem(app: Pick<OAuthApp, 'origin'>, request: Redemption): Promise<JsonAnswer> {
  const { code, verifier, clientId, redirectUri = LOOPBACK, exchange, headers } = request
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: verifier,
  }
  return post(app, '/token', { ...form, ...exchange }, headers)
}

export function refresh(
  app: Pick<OAuthApp, 'origin'>,
  clientId: string,
  token: string,
  more: Params = {},
): Promise<JsonAnswer> {
  return post(app, '/token', { grant_type: 'refresh_token', refresh_token: token, client_id: clientId, ...more })
}

export function codeIn({ location, page }: Arrival): string {
  const code = location?.searchParams.get('code') ?? ''
  assert.notEqual(code, '', location?.href ?? `${page?.status} ${page?.text}`)
  return code
}

/** Status and body of a call of a tool's URL with this token. */
export async function call({ origin }: Pick<OAuthApp, 'origin'>, path: string, token: string): Promise<JsonAnswer> {
  return read(await fetch(origin + path, { headers: { ...CLOSE, authorization: `Bearer ${token}` } }))
}

/** A new client that was let in to one server. */
export async function connected(app: OAuthApp) {
  const clientId = await newClient(app)
  return { clientId, ...(await connect(app, clientId, { at: { resource: `${app.origin}/memory/mcp` } })) }
}
