// From checked values to what the gateway works with. Each function adds a sentence to `problems` for what cannot hold.
import { isIP } from 'node:net'
import { join } from 'node:path'
import { nearest } from '../lib/nearest.ts'
import type { EnvironmentValues } from './environment.ts'
import { isLoopback, isRange, isWildcard, originOf, urlHost } from './network.ts'
import { absolutePath, dataFolder } from './places.ts'
import { settings, type RawEnvironment } from './read.ts'

export interface EmbeddingsConfig {
  readonly provider: 'ollama' | 'openai'
  /** Base address without a trailing slash. */
  readonly url: string
  readonly model: string
  readonly apiKey?: string
  readonly timeoutMs: number
}

const STRANGER_WINDOW_MS = 900_000

export function placesOf(values: EnvironmentValues, raw: RawEnvironment): { dataDir: string; databasePath: string } {
  const dataDir = dataFolder({ home: values.CROW_HOME, dataDir: values.CROW_DATA_DIR }, raw, process.platform)
  const written = values.CROW_DB_PATH
  return { dataDir, databasePath: written === undefined ? join(dataDir, 'crow.db') : absolutePath(written, raw) }
}

export function publicUrlOf(values: EnvironmentValues, problems: string[]): URL | null {
  const written = values.CROW_GATEWAY_URL
  if (written === undefined) return null
  const url = URL.parse(written)
  if (url !== null && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === '')
    return url
  problems.push('CROW_GATEWAY_URL must be an http or https address without user name, query or fragment.')
  return null
}

export function originsOf(values: EnvironmentValues, publicUrl: URL | null, problems: string[]): readonly string[] {
  const origins = new Set(publicUrl === null ? [] : [publicUrl.origin])
  for (const written of values.CORS_ALLOWED_ORIGINS ?? []) {
    const origin = originOf(written)
    if (origin === undefined) {
      problems.push(`CORS_ALLOWED_ORIGINS takes origins such as https://app.example, not ${JSON.stringify(written)}.`)
    } else origins.add(origin)
  }
  return Object.freeze([...origins])
}

export function proxiesOf(values: EnvironmentValues, problems: string[]): readonly string[] {
  const ranges = values.CROW_TRUSTED_PROXIES ?? []
  for (const written of ranges) {
    if (!isRange(written)) {
      problems.push(
        `CROW_TRUSTED_PROXIES takes addresses or CIDR ranges such as 10.0.0.0/8, not ${JSON.stringify(written)}.`,
      )
    }
  }
  return Object.freeze([...ranges])
}

export function confirmOf(
  values: EnvironmentValues,
  raw: RawEnvironment,
  problems: string[],
): 'elicit' | 'token' | 'off' {
  const confirm = values.CROW_CONFIRM ?? 'elicit'
  if (values.CROW_SKIP_CONFIRM_GATES !== true) return confirm
  if (raw['CROW_CONFIRM']?.trim() && confirm !== 'off') {
    problems.push(`CROW_SKIP_CONFIRM_GATES=1 contradicts CROW_CONFIRM=${confirm}: keep one of them.`)
  }
  return 'off'
}

export function timeZoneOf(values: EnvironmentValues, problems: string[]): string {
  const zone = values.CROW_TZ
  if (zone === undefined) return new Intl.DateTimeFormat().resolvedOptions().timeZone
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    problems.push(`CROW_TZ must be a time zone such as Europe/Madrid, not ${JSON.stringify(zone)}.`)
    return 'UTC'
  }
}

export function embeddingsOf(values: EnvironmentValues, problems: string[]): EmbeddingsConfig | null {
  const provider = values.CROW_EMBED_PROVIDER
  if (provider === undefined) return null
  const url = URL.parse(values.CROW_EMBED_URL ?? (provider === 'ollama' ? 'http://127.0.0.1:11434' : ''))
  if (url === null || !/^https?:$/.test(url.protocol)) {
    problems.push('CROW_EMBED_URL must be the http or https address of the embeddings service.')
  }
  if (values.CROW_EMBED_MODEL === undefined)
    problems.push('CROW_EMBED_PROVIDER needs CROW_EMBED_MODEL, the name of the model.')
  if (url === null || values.CROW_EMBED_MODEL === undefined) return null
  return Object.freeze({
    provider,
    url: url.href.replace(/\/+$/, ''),
    model: values.CROW_EMBED_MODEL,
    ...(values.CROW_EMBED_API_KEY === undefined ? {} : { apiKey: values.CROW_EMBED_API_KEY }),
    timeoutMs: values.CROW_EMBED_TIMEOUT_MS ?? 10_000,
  })
}

export function boundsOf(values: EnvironmentValues) {
  return {
    limits: Object.freeze({
      strangerMax: values.CROW_LIMIT_STRANGER ?? 200,
      strangerWindowMs: STRANGER_WINDOW_MS,
      principalPerMinute: values.CROW_LIMIT_PRINCIPAL ?? 6000,
    }),
    bodyBytesMax: values.CROW_BODY_MAX_BYTES ?? 4 << 20,
    sessions: Object.freeze({
      max: values.CROW_SESSION_MAX ?? 1000,
      perCallerMax: values.CROW_SESSION_MAX_PER_CALLER ?? 200,
      idleMs: values.CROW_SESSION_IDLE_MS ?? 1_800_000,
    }),
    streamsMax: values.CROW_SSE_MAX ?? 200,
    shutdownDrainMs: values.CROW_SHUTDOWN_DRAIN_MS ?? 3000,
  }
}

/** Words that say a gateway is on a desk. Any other, a misspelt one too, counts as production: that only ever forbids. */
const DESK = ['development', 'dev', 'test', 'local']

export const isProduction = (nodeEnv = 'development'): boolean => !DESK.includes(nodeEnv.toLowerCase())

/** Without a door lock the gateway must be out of reach: each way it could be reached is a problem of its own. */
export function openDoorProblems(
  config: { host: string; publicUrl: URL | null; production: boolean },
  label: string,
  nodeEnv: string | undefined,
): string[] {
  const problems: string[] = []
  if (!isLoopback(config.host)) problems.push(`${label} is only possible on a loopback address, not on ${config.host}.`)
  if (config.publicUrl !== null) problems.push(`${label} is not possible with a public address (CROW_GATEWAY_URL).`)
  if (config.production) problems.push(`${label} is not possible with NODE_ENV=${nodeEnv}.`)
  return problems
}

/** Whoever listens for other machines has to know by which address they come: links, cookies and audiences are made from it. */
export function bindProblems({ host, publicUrl }: { host: string; publicUrl: URL | null }, label: string): string[] {
  if (isLoopback(host) || publicUrl !== null) return []
  const example = isIP(host) !== 0 && !isWildcard(host) ? `http://${urlHost(host)}:3001` : 'http://localhost:3001'
  return [
    `${label} ${host} lets other machines reach the gateway, which needs CROW_GATEWAY_URL: the address they use, such as https://crow.example or ${example}.`,
  ]
}

/** As many as 16 random bytes in base64url have. */
const SETUP_TOKEN_CHARS_MIN = 22
const SETUP_TOKEN_DISTINCT_MIN = 10

/** Whoever guesses the set-up token of a new gateway owns it. */
export function setupTokenProblems(token: string | undefined): string[] {
  if (token === undefined) return []
  if (token.length >= SETUP_TOKEN_CHARS_MIN && new Set(token).size >= SETUP_TOKEN_DISTINCT_MIN) return []
  return [
    `CROW_SETUP_TOKEN is too weak: take at least ${SETUP_TOKEN_CHARS_MIN} random characters, such as \`openssl rand -hex 16\` prints.`,
  ]
}

/** Passwords and tokens that cross a network readably. A name for this machine only does not leave it. */
export function clearTextWarnings(publicUrl: URL | null): string[] {
  if (publicUrl === null || publicUrl.protocol === 'https:' || isLoopback(publicUrl.hostname)) return []
  return ['CROW_GATEWAY_URL is plain http: passwords and tokens can be read on the way. Put a proxy with TLS in front.']
}

export function unknownNames(raw: RawEnvironment): string[] {
  const known = settings.map(({ name }) => name)
  const unknown = Object.keys(raw).filter((name) => name.startsWith('CROW_') && !known.some((other) => other === name))
  if (unknown.length === 0) return []
  const named = unknown.toSorted().map((name) => {
    const close = nearest(name, known)
    return close === undefined ? name : `${name} (did you mean ${close}?)`
  })
  return [`Not a setting of this gateway, so without effect: ${named.join(', ')}.`]
}
