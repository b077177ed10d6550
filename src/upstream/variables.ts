// `${…}` in the texts of an entry: a variable of the gateway's environment, or a secret that is sealed in the database. What is
// put in is never part of a message.
import { settings, type RawEnvironment } from '../config/read.ts'
import { GatewayError } from '../errors.ts'

/** `$${` stands for `${` itself. */
const REFERENCE = /\$\$\{|\$\{([^{}]{0,200})\}/g
const VARIABLE = /^(?:env:)?([A-Za-z_]\w{0,127})(?::-(.*))?$/s
const SECRET = /^secret:([a-z][a-z0-9-]{0,30}\/[A-Za-z_][\w-]{0,127})$/

export interface Values {
  readonly environment: RawEnvironment
  readonly secrets: { read(name: string): string | undefined }
}

export interface Expanded {
  readonly text: string
  /** Whether a sealed secret is in it. */
  readonly hasSecret: boolean
  /** One clause for each reference that leads nowhere. */
  readonly problems: readonly string[]
}

/** Name in the secret store of what `${secret:<server>/<name>}` stands for. */
export function secretName(server: string, name: string): string {
  return `upstream/${server}/${name}`
}

/** The reference to write into `servers.json`. */
export function secretReference(server: string, name: string): string {
  return `\${secret:${server}/${name}}`
}

/** Servers and names of the secrets that a text refers to. */
export function secretsIn(text: string): { server: string; name: string }[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, inside = '']) => {
    const [server, name] = SECRET.exec(inside)?.[1]?.split('/') ?? []
    return server === undefined || name === undefined ? [] : [{ server, name }]
  })
}

/** Puts the values in. An empty variable counts as not set. */
export function expand(text: string, values: Values): Expanded {
  const problems: string[] = []
  let hasSecret = false
  const expanded = text.replaceAll(REFERENCE, (whole: string, inside: string | undefined) => {
    if (inside === undefined) return '${'
    const secret = SECRET.exec(inside)?.[1]
    const found = secret === undefined ? variable(inside, values.environment) : sealed(secret, values)
    hasSecret ||= secret !== undefined
    if (typeof found === 'string') return found
    problems.push(found.problem)
    return whole
  })
  return { text: expanded, hasSecret, problems }
}

type Found = string | { readonly problem: string }

/** The gateway's own secrets are nobody else's. */
const OWN_SECRETS: ReadonlySet<string> = new Set(settings.filter(({ secret }) => secret).map(({ name }) => name))

function variable(inside: string, environment: RawEnvironment): Found {
  const [, name, fallback] = VARIABLE.exec(inside) ?? []
  if (name === undefined) return { problem: `holds \${${inside.slice(0, 40)}}, which is not known here` }
  if (OWN_SECRETS.has(name)) return { problem: `asks for ${name}, which is a secret of Crow itself` }
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined
  if (value !== undefined && value !== '') return value
  return fallback ?? { problem: `needs the variable ${name}, which is not set` }
}

function sealed(path: string, { secrets }: Values): Found {
  const [server = '', name = ''] = path.split('/')
  try {
    return secrets.read(secretName(server, name)) ?? { problem: `needs the secret ${path}, which is not stored` }
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'SECRET_UNREADABLE')
      return { problem: `needs the secret ${path}, which cannot be opened with this key` }
    throw error
  }
}
