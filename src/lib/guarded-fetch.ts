// Fetches a small document from an address that a stranger named: over https, from the public internet only, pinned to the
// address that was checked, within bounds, without following a redirect.
import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { createPublicAddressTest } from './public-address.ts'

/** Where the network is reached; tests bring names and addresses of their own. */
export interface FetchPorts {
  /** Every address of a name. */
  resolve(name: string): Promise<readonly string[]>
  /** A TLS connection to exactly this address, whose certificate must be for `name`. */
  connect(target: { readonly address: string; readonly port: number; readonly name: string }): Socket
}

export interface FetchBounds {
  readonly bytesMax: number
  /** From the look-up of the name to the last byte. */
  readonly timeoutMs: number
  /** Media types that are taken, without parameters. */
  readonly types: readonly string[]
}

export interface Fetched {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Why a document was not fetched. The sentence is for a log or the owner; it holds nothing that was answered. */
export class FetchRefused extends Error {}

/** Nobody answered, or only that they cannot now: it may be there again in a moment. */
export class FetchFailed extends FetchRefused {}

export const systemPorts: FetchPorts = Object.freeze({
  resolve: async (name: string) => (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address),
  connect: ({ address, port, name }: Parameters<FetchPorts['connect']>[0]) =>
    connectTls({ host: address, port, servername: name, ALPNProtocols: ['http/1.1'] }),
})

export type GuardedFetch = (url: string) => Promise<Fetched>

/** @returns fetches, or rejects with FetchRefused */
export function createGuardedFetch(bounds: FetchBounds, ports: FetchPorts = systemPorts): GuardedFetch {
  const isPublic = createPublicAddressTest()
  return async (written) => {
    const url = targetOf(written)
    const late = AbortSignal.timeout(bounds.timeoutMs)
    try {
      const addresses = await Promise.race([ports.resolve(url.hostname), rejection(late)])
      const [address] = addresses
      // One private address among public ones is how a rebinding name looks: none of them is used.
      if (address === undefined || !addresses.every(isPublic))
        throw new FetchRefused('it is not on the public internet')
      return await get(url, { ...bounds, signal: late, connect: () => connectTo(ports, address, url) })
    } catch (error) {
      if (error instanceof FetchRefused) throw error
      throw new FetchFailed(late.aborted ? 'it took too long' : 'it could not be fetched', { cause: error })
    }
  }
}

function connectTo(ports: FetchPorts, address: string, { hostname, port }: URL): Socket {
  return ports.connect({ address, port: port === '' ? 443 : Number(port), name: hostname })
}

function targetOf(written: string): URL {
  const url = URL.parse(written)
  if (url?.protocol !== 'https:') throw new FetchRefused('its address is not https')
  if (url.username + url.password !== '') throw new FetchRefused('its address carries a user name')
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) throw new FetchRefused('its address has no name')
  return url
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new FetchFailed('it took too long')), { once: true })
  })
}

interface Get extends FetchBounds {
  readonly signal: AbortSignal
  readonly connect: () => Socket
}

function get(url: URL, { connect, signal, bytesMax, types }: Get): Promise<Fetched> {
  return new Promise((resolve, reject) => {
    const asking = request(url, {
      signal,
      createConnection: connect,
      headers: { accept: types.join(', '), 'accept-encoding': 'identity', 'user-agent': 'crow', connection: 'close' },
    })
    asking.once('error', reject)
    asking.once('response', (answer) => {
      collect(answer, { bytesMax, types }).then(resolve, (error: unknown) => {
        asking.destroy()
        reject(error)
      })
    })
    asking.end()
  })
}

async function collect(
  answer: IncomingMessage,
  { bytesMax, types }: Pick<FetchBounds, 'bytesMax' | 'types'>,
): Promise<Fetched> {
  const { statusCode: status = 0, headers } = answer
  if (status !== 200) {
    const Refusal = status >= 500 || status === 429 ? FetchFailed : FetchRefused
    throw new Refusal(`it was answered with status ${status}`)
  }
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (!types.includes(type)) throw new FetchRefused('it is of another media type')
  if (headers['content-encoding'] !== undefined) throw new FetchRefused('it is compressed')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer) {
    const piece: Buffer = chunk
    bytes += piece.length
    if (bytes > bytesMax) throw new FetchRefused(`it is larger than ${bytesMax} bytes`)
    chunks.push(piece)
  }
  return { status, headers, body: Buffer.concat(chunks).toString('utf8') }
}
