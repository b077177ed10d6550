// Every environment variable the gateway reads: its form, its default and what it is for. docs/CONFIG.md is made from this table.
import { Type, type Static, type TSchema } from 'typebox'

/** What the table says about a variable beyond JSON Schema. */
interface About {
  readonly description: string
  /** Never printed; shown as set or not set. */
  readonly secret?: true
  /**
   * What a process over stdio serves depends on it, so an entry that starts one names it. Not what makes it ask less: that is
   * decided where it runs.
   */
  readonly carried?: true
  /** The default in words, where it depends on the machine. */
  readonly otherwise?: string
}

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)
const text = (about: About & { default?: string }) => optional(Type.String({ minLength: 1, maxLength: 4096, ...about }))
const whole = (minimum: number, maximum: number, about: About & { default?: number }) =>
  optional(Type.Integer({ minimum, maximum, ...about }))
const flag = (about: About) => optional(Type.Boolean({ default: false, ...about }))
const list = (about: About) => optional(Type.Array(Type.String({ minLength: 1 }), { default: [], ...about }))
const choice = <Words extends string[]>(words: readonly [...Words], about: About & { default?: Words[number] }) =>
  optional(Type.Enum<Words>(words, { ...about }))

export const Environment = Type.Object({
  CROW_HOME: text({
    description:
      'Base folder of this instance. The data folder is `data` inside it unless CROW_DATA_DIR names another.',
    otherwise: 'unset: the place your system keeps application data',
  }),
  CROW_DATA_DIR: text({
    description: 'Folder of the database, created with mode 0700 at the first start.',
    otherwise: '$XDG_DATA_HOME/crow or ~/.local/share/crow · ~/Library/Application Support/crow · %LOCALAPPDATA%\\crow',
  }),
  CROW_DB_PATH: text({
    description: 'The database file.',
    otherwise: 'crow.db in the data folder',
    carried: true,
  }),
  PORT: whole(0, 65_535, {
    description: 'Port to listen on; 0 takes any free one. Wins over CROW_GATEWAY_PORT.',
    otherwise: 'CROW_GATEWAY_PORT',
  }),
  CROW_GATEWAY_PORT: whole(0, 65_535, { description: 'Port to listen on.', default: 3001 }),
  CROW_GATEWAY_BIND: text({
    description:
      'Address to listen on. Anything but loopback lets other machines reach the gateway, and needs CROW_GATEWAY_URL.',
    default: '127.0.0.1',
  }),
  CROW_GATEWAY_URL: text({
    description:
      'Public address of the gateway, with a path when a proxy serves it below one. Setting it exposes the MCP mounts, once the owner has set a password at /setup.',
  }),
  CROW_ALLOWED_HOSTS: list({
    description:
      'More names this gateway answers to in the Host header, beside loopback, the bind address and the public address.',
  }),
  CORS_ALLOWED_ORIGINS: list({
    description:
      'Origins whose pages may call the gateway, beside the public one, and loopback pages when bound to loopback.',
  }),
  CROW_TRUSTED_PROXIES: list({
    description: 'Addresses or CIDR ranges of proxies whose X-Forwarded-For is believed.',
  }),
  CROW_KEY: text({
    description:
      'Key of the secrets at rest: 32 random bytes as base64url or hexadecimal. While keys are changed: the new one, a comma, the old one.',
    otherwise: 'crow.key in the data folder, made at the first start',
    secret: true,
    carried: true,
  }),
  CROW_SETUP_TOKEN: text({
    description:
      'Lets whoever knows it set the first password at /setup, beside the one-time code that `crow operator setup-code` shows. At least 22 random characters.',
    otherwise: 'unset: only the one-time code',
    secret: true,
  }),
  CROW_DASHBOARD_PUBLIC: flag({
    description:
      'Open the pages of the owner (account, connected clients) to the public internet as well. Signing in and consent always are, with CROW_GATEWAY_URL.',
  }),
  CROW_NO_AUTH: flag({
    description:
      'Let every local program in without a token. Only on loopback, without a public address, not in production.',
  }),
  NODE_ENV: text({
    description:
      'Anything but `development`, `dev`, `test` or `local` counts as production, which refuses what is only safe on a desk, such as CROW_NO_AUTH.',
    default: 'development',
  }),
  CROW_ERAS: choice(['both', '2025', '2026'], {
    description: 'Which MCP protocol eras are served.',
    default: 'both',
    carried: true,
  }),
  CROW_DISABLE_ROUTER: flag({
    description: 'Serves every server by itself only, without the router at /router/mcp.',
    carried: true,
  }),
  CROW_DEFAULT_SERVER: text({
    description: 'The server whose tools `crow stdio core` shows from the start.',
    default: 'memory',
    carried: true,
  }),
  CROW_CONFIRM: choice(['elicit', 'token', 'off'], {
    description:
      'How a destructive tool is confirmed: ask the human where the client can, always the two-call token, or not at all.',
    default: 'elicit',
  }),
  CROW_SKIP_CONFIRM_GATES: flag({ description: 'Older name for CROW_CONFIRM=off.' }),
  CROW_TZ: text({
    description: 'IANA time zone in which schedules run.',
    otherwise: 'the time zone of the system',
    carried: true,
  }),
  CROW_DEVICE_ID: text({ description: 'Name of this device; selects its own sections of crow.md.', carried: true }),
  CROW_PROJECT_ID: whole(1, 999_999_999_999_999, {
    description: 'Project whose sections of crow.md a client of `crow stdio` is told.',
    carried: true,
  }),
  CROW_CONTEXT_WRITES: choice(['approve', 'free'], {
    description:
      'Whether a change of crow.md by a tool waits until you approve it (`crow context pending`), or counts at once.',
    default: 'approve',
  }),
  CROW_EMBED_PROVIDER: choice(['ollama', 'openai'], {
    description:
      'Service for the semantic leg of search: Ollama, or anything that speaks the OpenAI embeddings API. Needs CROW_EMBED_MODEL.',
    otherwise: 'unset: search by words only',
    carried: true,
  }),
  CROW_EMBED_URL: text({
    description: 'Base address of the embeddings service. Texts of memories are sent there.',
    otherwise: 'http://127.0.0.1:11434 for ollama; required for openai',
    carried: true,
  }),
  CROW_EMBED_MODEL: text({ description: 'Name of the embeddings model.', carried: true }),
  CROW_EMBED_API_KEY: text({ description: 'Key for the embeddings service.', secret: true, carried: true }),
  CROW_EMBED_TIMEOUT_MS: whole(100, 600_000, {
    description: 'How long one embeddings request may take.',
    default: 10_000,
  }),
  CROW_LOG_LEVEL: choice(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'], {
    description: 'How much is logged, as JSON lines on stderr.',
    default: 'info',
  }),
  CROW_AUDIT_DAYS: whole(1, 36_500, {
    description: 'How many days the audit trail goes back; older rows are removed once a day.',
    default: 90,
  }),
  CROW_LIMIT_STRANGER: whole(1, 1_000_000, {
    description:
      'Requests per 15 minutes from one address (IPv6: one /64) that did not identify itself; one budget for open pages, one for refusals.',
    default: 200,
  }),
  CROW_LIMIT_PRINCIPAL: whole(1, 10_000_000, {
    description: 'Requests per minute of one identified caller, averaged over 15 minutes so that a burst passes.',
    default: 6000,
  }),
  CROW_BODY_MAX_BYTES: whole(1024, 1 << 30, { description: 'Largest request body.', default: 4 << 20 }),
  CROW_SESSION_MAX: whole(1, 100_000, {
    description: 'MCP sessions kept at once; the longest idle one gives way.',
    default: 1000,
  }),
  CROW_SESSION_MAX_PER_CALLER: whole(1, 100_000, {
    description: 'MCP sessions of one caller kept at once.',
    default: 200,
  }),
  CROW_SESSION_IDLE_MS: whole(1000, 604_800_000, {
    description: 'An MCP session without traffic ends after this.',
    default: 1_800_000,
  }),
  CROW_SSE_MAX: whole(1, 100_000, {
    description:
      'Streams of every kind open at once; one more gets 503 and Retry-After, a call that can be answered in one piece is. One caller gets three quarters at most.',
    default: 200,
  }),
  CROW_SHUTDOWN_DRAIN_MS: whole(0, 600_000, {
    description: 'How long requests in flight may take to finish when the gateway is asked to stop.',
    default: 3000,
  }),
})

export type EnvironmentValues = Static<typeof Environment>
export type SettingName = keyof EnvironmentValues

/** One line of the reference: what a variable is called, looks like and does. */
export interface Setting {
  readonly name: SettingName
  /** Such as `whole number, 0 to 65535` or `both, 2025 or 2026`. */
  readonly form: string
  readonly fallback: string
  readonly description: string
  readonly secret: boolean
  /** Whether what a process over stdio serves depends on it. */
  readonly carried: boolean
}
