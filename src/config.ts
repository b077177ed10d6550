// The one place that reads the environment: strings in, one frozen Config out, every problem reported at once.
import { ConfigError } from './errors.ts'
import {
  bindProblems,
  boundsOf,
  clearTextWarnings,
  confirmOf,
  isProduction,
  embeddingsOf,
  openDoorProblems,
  originsOf,
  placesOf,
  proxiesOf,
  publicUrlOf,
  setupTokenProblems,
  timeZoneOf,
  type EmbeddingsConfig,
  unknownNames,
} from './config/derive.ts'
import { allowedHosts, isLoopback } from './config/network.ts'
import { environment } from './config/process-environment.ts'
import { effectiveText, readEnvironment, settings, type RawEnvironment } from './config/read.ts'
import type { EnvironmentValues, SettingName } from './config/environment.ts'

/** Everything the gateway was told. Frozen, and the only way to learn of it. */
export interface Config {
  readonly dataDir: string
  readonly databasePath: string
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly publicUrl: URL | null
  /** Path of the public URL without a trailing slash; empty at the root. */
  readonly basePath: string
  readonly eras: 'both' | '2025' | '2026'
  /** Whether every server is also served through the router. */
  readonly router: boolean
  /** Name of the server whose tools `crow stdio core` always shows. */
  readonly defaultServer: string
  /** Exact origins, such as `https://crow.example`. */
  readonly allowedOrigins: readonly string[]
  /** Whether pages of loopback origins, on any port, may call. */
  readonly loopbackOrigins: boolean
  /** Names without port that a Host header may carry; IPv6 in brackets. */
  readonly allowedHosts: readonly string[]
  /** Addresses or CIDR ranges whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
  /** Key of the secrets at rest, newest first; null for the key file. */
  readonly key: string | null
  readonly setupToken: string | null
  /** Whether the pages behind the door of the owner may be reached from outside. */
  readonly dashboardPublic: boolean
  readonly noAuth: boolean
  readonly production: boolean
  readonly confirm: 'elicit' | 'token' | 'off'
  /** IANA name. */
  readonly timeZone: string
  readonly deviceId: string | null
  /** For a client over stdio. */
  readonly projectId: number | null
  /** Whether a change of crow.md by a tool waits for the owner. */
  readonly contextWrites: 'approve' | 'free'
  readonly embeddings: EmbeddingsConfig | null
  /** How far the audit trail goes back. */
  readonly auditDays: number
  readonly logLevel: NonNullable<EnvironmentValues['CROW_LOG_LEVEL']>
  readonly limits: {
    /** Requests of one address per window without an identity. */
    readonly strangerMax: number
    readonly strangerWindowMs: number
    readonly principalPerMinute: number
  }
  readonly bodyBytesMax: number
  readonly sessions: { readonly max: number; readonly perCallerMax: number; readonly idleMs: number }
  readonly streamsMax: number
  readonly shutdownDrainMs: number
  /** One sentence each, to be logged once at the start. */
  readonly warnings: readonly string[]
}

/** What the command line may set; a flag wins over the variable it stands for. */
export interface ConfigOverrides {
  readonly port?: number | string | undefined
  readonly host?: string | undefined
  readonly dataDir?: string | undefined
  readonly noAuth?: boolean | undefined
  readonly projectId?: number | undefined
}

const FLAGS: Readonly<Record<keyof ConfigOverrides, readonly [SettingName, string]>> = {
  port: ['PORT', '--port'],
  host: ['CROW_GATEWAY_BIND', '--host'],
  dataDir: ['CROW_DATA_DIR', '--data-dir'],
  noAuth: ['CROW_NO_AUTH', '--no-auth'],
  projectId: ['CROW_PROJECT_ID', '--project'],
}

/**
 * Reads and checks the whole configuration.
 * @throws ConfigError listing every problem, one sentence each
 */
export function loadConfig(env: RawEnvironment = environment(), overrides: ConfigOverrides = {}): Config {
  const { raw, labelOf } = withFlags(env, overrides)
  const { values, problems } = readEnvironment(raw, labelOf)
  const publicUrl = publicUrlOf(values, problems)
  const host = values.CROW_GATEWAY_BIND ?? '127.0.0.1'
  const production = isProduction(values.NODE_ENV)
  const config: Config = {
    ...placesOf(values, raw),
    host,
    port: values.PORT ?? values.CROW_GATEWAY_PORT ?? 3001,
    publicUrl,
    basePath: publicUrl === null ? '' : publicUrl.pathname.replace(/\/+$/, ''),
    eras: values.CROW_ERAS ?? 'both',
    router: values.CROW_DISABLE_ROUTER !== true,
    defaultServer: values.CROW_DEFAULT_SERVER ?? 'memory',
    allowedOrigins: originsOf(values, publicUrl, problems),
    loopbackOrigins: isLoopback(host),
    allowedHosts: Object.freeze(allowedHosts(host, publicUrl, values.CROW_ALLOWED_HOSTS ?? [])),
    trustedProxies: proxiesOf(values, problems),
    key: values.CROW_KEY ?? null,
    setupToken: values.CROW_SETUP_TOKEN ?? null,
    dashboardPublic: values.CROW_DASHBOARD_PUBLIC === true,
    noAuth: values.CROW_NO_AUTH === true,
    production,
    confirm: confirmOf(values, raw, problems),
    timeZone: timeZoneOf(values, problems),
    deviceId: values.CROW_DEVICE_ID ?? null,
    projectId: values.CROW_PROJECT_ID ?? null,
    contextWrites: values.CROW_CONTEXT_WRITES ?? 'approve',
    embeddings: embeddingsOf(values, problems),
    auditDays: values.CROW_AUDIT_DAYS ?? 90,
    logLevel: values.CROW_LOG_LEVEL ?? 'info',
    ...boundsOf(values),
    warnings: Object.freeze([...unknownNames(raw), ...clearTextWarnings(publicUrl)]),
  }
  problems.push(...bindProblems(config, labelOf('CROW_GATEWAY_BIND')), ...setupTokenProblems(values.CROW_SETUP_TOKEN))
  if (config.noAuth) problems.push(...openDoorProblems(config, labelOf('CROW_NO_AUTH'), values.NODE_ENV))
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(config)
}

/** One line of `--print-config`: the effective text of a setting and where it came from. Secrets are masked. */
export interface SettingLine {
  readonly name: SettingName
  readonly value: string
  readonly from: 'flag' | 'environment' | 'default'
}

/** Every setting with its effective value, for `--print-config`. */
export function explainConfig(env: RawEnvironment = environment(), overrides: ConfigOverrides = {}): SettingLine[] {
  const { raw, labelOf } = withFlags(env, overrides)
  return settings.map(({ name, fallback, secret }) => {
    const written = raw[name]?.trim() ?? ''
    if (written === '') return { name, value: fallback, from: 'default' }
    return {
      name,
      value: secret ? '(set)' : effectiveText(name, written),
      from: labelOf(name) === name ? 'environment' : 'flag',
    }
  })
}

/** What a process that somebody else starts has to be told beside its data folder: settings, and names of secrets. */
export interface Carried {
  readonly env: Readonly<Record<string, string>>
  /** Not written down anywhere: the process needs them in its own environment. */
  readonly secrets: readonly SettingName[]
}

/** The settings that are not at their defaults here and matter to a process over stdio. */
export function carriedSettings(
  config: Config,
  env: RawEnvironment = environment(),
  overrides: ConfigOverrides = {},
): Carried {
  const carried = new Map(settings.filter((one) => one.carried).map((one) => [one.name, one]))
  const lines = explainConfig(env, overrides).filter(({ name, from }) => from !== 'default' && carried.has(name))
  const isSecret = ({ name }: SettingLine): boolean => carried.get(name)?.secret === true
  return {
    // Wherever it is started, the database is this one.
    env: Object.fromEntries(
      lines
        .filter((line) => !isSecret(line))
        .map(({ name, value }) => [name, name === 'CROW_DB_PATH' ? config.databasePath : value]),
    ),
    secrets: lines.filter(isSecret).map(({ name }) => name),
  }
}

function withFlags(env: RawEnvironment, overrides: ConfigOverrides) {
  const raw: Record<string, string | undefined> = { ...env }
  const labels = new Map<SettingName, string>()
  for (const key of ['port', 'host', 'dataDir', 'noAuth', 'projectId'] as const) {
    const value = overrides[key]
    if (value === undefined) continue
    const [name, label] = FLAGS[key]
    raw[name] = typeof value === 'boolean' ? (value ? '1' : '0') : String(value)
    labels.set(name, label)
  }
  return { raw, labelOf: (name: SettingName): string => labels.get(name) ?? name }
}
