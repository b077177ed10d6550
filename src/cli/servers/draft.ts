// An entry of `servers.json` from what stands on the command line. Whatever looks like a secret goes into the sealed store, and
// only a reference to it into the file.
import { isRecord } from '../../lib/json.ts'
import type { Raw } from '../../upstream/entry-fields.ts'
import type { Integration } from '../../upstream/integrations.ts'
import { secretReference } from '../../upstream/variables.ts'
import { UsageError } from '../options.ts'
import { absolutePath } from '../setup.ts'

export interface Written {
  readonly command: readonly string[]
  readonly url: string | undefined
  readonly type: string | undefined
  readonly cwd: string | undefined
  readonly isolation: string | undefined
  readonly header: readonly string[]
  readonly env: readonly string[]
  readonly secret: readonly string[]
}

export interface Draft {
  readonly entry: Readonly<Record<string, unknown>>
  /** To be sealed, by name. */
  readonly secrets: ReadonlyMap<string, string>
}

const SECRET_NAME = /key|token|secret|passw|authorization|cookie|credential/i

export const looksSecret = (name: string): boolean => SECRET_NAME.test(name)

/**
 * @param typed the values of `--secret`, in its order
 * @throws UsageError
 */
export function draftOf(id: string, written: Written, typed: readonly string[]): Draft {
  const { command: words, url, type, isolation, secret } = written
  const cwd = written.cwd === undefined ? undefined : absolutePath(written.cwd)
  const secrets = new Map(secret.map((name, at) => [nameIn(name), filled(name, typed[at])]))
  const seal = sealer(id, secrets)
  const [command, ...args] = words
  const more = { ...(cwd === undefined ? {} : { cwd }), ...(isolation === undefined ? {} : { isolation }) }
  if (command !== undefined) {
    if (url !== undefined) throw new UsageError('a server has a command or --url, not both')
    if (written.header.length > 0) throw new UsageError('--header is for servers with --url; use --env')
    const env = { ...referencesTo(id, secret), ...seal(pairsOf(written.env, 'env', '=')) }
    return {
      entry: {
        command: isPath(command) ? absolutePath(command) : command,
        args,
        ...(isEmpty(env) ? {} : { env }),
        ...more,
      },
      secrets,
    }
  }
  if (url === undefined) throw new UsageError('name a command after --, or an address with --url')
  if (written.env.length > 0) throw new UsageError('--env is for servers with a command; use --header')
  const headers = seal(headersOf(id, written))
  const kind = type === undefined ? {} : { type }
  return { entry: { url, ...kind, ...(isEmpty(headers) ? {} : { headers }), ...more }, secrets }
}

/** Settings of an integration: its variables, as far as they were given. */
export function settingsOf(
  { id, variables }: Integration,
  given: ReadonlyMap<string, string>,
  written: Pick<Written, 'env' | 'isolation'>,
): Draft {
  const secrets = new Map<string, string>()
  const known = Object.fromEntries([...given].filter(([name, value]) => variables.includes(name) && value !== ''))
  const env = sealer(id, secrets)({ ...known, ...pairsOf(written.env, 'env', '=') })
  const isolation = written.isolation === undefined ? {} : { isolation: written.isolation }
  return { entry: { ...(isEmpty(env) ? {} : { env }), ...isolation }, secrets }
}

/** An entry that was written elsewhere, with what looks like a secret taken out of it. */
export function sealedEntry(id: string, raw: Raw): Draft {
  const secrets = new Map<string, string>()
  const seal = sealer(id, secrets)
  const sealed = ['env', 'headers'].flatMap((key) => {
    const map = raw[key]
    if (!isRecord(map)) return []
    const texts = Object.entries(map).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
    return [[key, { ...map, ...seal(Object.fromEntries(texts)) }] as const]
  })
  return { entry: { ...raw, ...Object.fromEntries(sealed) }, secrets }
}

type Texts = Readonly<Record<string, string>>

/** Moves what looks like a secret out of a map; what refers to something already stays. */
function sealer(id: string, secrets: Map<string, string>): (map: Texts) => Texts {
  return (map) =>
    Object.fromEntries(
      Object.entries(map).map(([key, value]) => {
        if (!looksSecret(key) || value.includes('${')) return [key, value]
        const name = key.replaceAll(/[^\w-]/g, '_')
        secrets.set(name, value)
        return [key, secretReference(id, name)]
      }),
    )
}

function headersOf(id: string, { header, secret }: Written): Texts {
  const headers = Object.entries(pairsOf(header, 'header', ':'))
  const isUsed = (name: string): boolean => headers.some(([, value]) => value.includes(`\${${name}}`))
  const own = headers.map(([key, value]) => {
    const filledIn = secret.reduce(
      (text, name) => text.replaceAll(`\${${name}}`, () => secretReference(id, name)),
      value,
    )
    return [key, filledIn] as const
  })
  const unused = secret.filter((name) => !isUsed(name))
  if (unused.length > 1) throw new UsageError(`say with --header where ${unused.join(', ')} belong`)
  const bearer = unused.map((name) => ['Authorization', `Bearer ${secretReference(id, name)}`] as const)
  return Object.fromEntries([...bearer, ...own])
}

function pairsOf(written: readonly string[], option: string, between: string): Texts {
  return Object.fromEntries(
    written.map((text) => {
      const at = text.indexOf(between)
      // The text itself may be a secret, so it is not said back.
      if (at <= 0) throw new UsageError(`--${option} is written NAME${between}VALUE`)
      return [text.slice(0, at).trim(), between === ':' ? text.slice(at + 1).trim() : text.slice(at + 1)]
    }),
  )
}

function referencesTo(id: string, names: readonly string[]): Texts {
  return Object.fromEntries(names.map((name) => [name, secretReference(id, name)]))
}

function nameIn(name: string): string {
  if (/^[A-Za-z_][\w-]{0,127}$/.test(name)) return name
  throw new UsageError('--secret takes the name of a variable; its value is asked for')
}

function filled(name: string, value = ''): string {
  if (value === '') throw new UsageError(`there is no value for ${name}`)
  return value
}

/** Relative to where the owner types it, not to where the server will be started. */
const isPath = (command: string): boolean => /^\.{0,2}[/\\]/.test(command)

const isEmpty = (map: object): boolean => Object.keys(map).length === 0
