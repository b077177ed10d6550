// Which Host and Origin this gateway answers to. Pure decisions, made once from the configuration.
import type { Config } from '../../src/config.ts'

/** How many spellings of good headers are remembered. */
const REMEMBERED_MAX = 64
const LOOPBACK_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/

export interface Admission {
  /**
   * Whether a Host header names this gateway: the defence against a page whose own name was rebound to this address.
   * @param arrival the connection, for the address it arrived at
   */
  readonly admitsHost: (host: string, arrival: { readonly localAddress?: string | undefined }) => boolean
  /** Whether pages of this origin may call. */
  readonly admitsOrigin: (origin: string) => boolean
}

export function createAdmission(
  config: Pick<Config, 'allowedHosts' | 'allowedOrigins' | 'loopbackOrigins'>,
): Admission {
  const names = new Set(config.allowedHosts)
  const origins = new Set(config.allowedOrigins)
  const good = new Set<string>()
  return {
    admitsHost: (host, arrival) => {
      if (good.has(host)) return true
      const name = nameOf(host)
      if (name === undefined) return false
      if (!names.has(name)) return name === bracketed(arrival.localAddress)
      if (good.size < REMEMBERED_MAX) good.add(host)
      return true
    },
    admitsOrigin: (origin) => origins.has(origin) || (config.loopbackOrigins && LOOPBACK_ORIGIN.test(origin)),
  }
}

/**
 * `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986 §3.2.2), where a name may be empty. Several Host lines arrive joined by a
 * comma and a space, which no name can hold.
 */
const HOST = /^(\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::(\d*))?$/i
const PORT_DIGITS_MAX = 5

/** Whether a Host header is one at all. */
export const isHost = (host: string): boolean => HOST.test(host)

/** The name of a Host header in lower case, without its port. */
function nameOf(host: string): string | undefined {
  const [, name = '', port] = HOST.exec(host) ?? []
  const isPort = port === undefined || (port !== '' && port.length <= PORT_DIGITS_MAX)
  return name !== '' && isPort ? name.toLowerCase() : undefined
}

/** A machine bound to every interface is also called by its own address, which no page can be named. */
function bracketed(address: string | undefined): string | undefined {
  if (address === undefined) return undefined
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').toLowerCase()
  return plain.includes(':') ? `[${plain}]` : plain
}
