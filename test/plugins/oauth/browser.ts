// A browser without a screen: keeps cookies by path, follows redirects one at a time, and fills in the two forms of an authorization.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { PASSWORD } from './oauth-app.ts'

interface Cookie {
  readonly value: string
  readonly path: string
}

export class Browser {
  readonly #cookies = new Map<string, Cookie>()
  readonly origin: string
  readonly base: string
  /** Pages that were shown on the way, by what they asked. */
  readonly seen: string[] = []
  /** The text of the last consent page. */
  lastConsent = ''

  /** @param base path of the public address */
  constructor(origin: string, base = '') {
    this.origin = origin
    this.base = base
  }

  get names(): string[] {
    return [...this.#cookies.keys()]
  }

  /** Paths of the cookies that are kept. */
  get paths(): string[] {
    return [...this.#cookies.values()].map(({ path }) => path)
  }

  /** As a browser sends it: a form carries where it came from. */
  fetch(url: string, form?: URLSearchParams): Promise<Response> {
    if (form === undefined) return this.send(url, {})
    const headers = { origin: this.origin, 'sec-fetch-site': 'same-origin' }
    return this.send(url, { method: 'POST', body: form, headers })
  }

  async send(url: string, request: { method?: string; body?: URLSearchParams; headers?: object }): Promise<Response> {
    const { pathname } = new URL(url)
    const cookie = [...this.#cookies]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
    const headers = { cookie, accept: 'text/html', connection: 'close', ...request.headers }
    const response = await fetch(url, { redirect: 'manual', ...request, headers })
    for (const line of response.headers.getSetCookie()) this.#take(line)
    return response
  }

  #take(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/'
    const isGone = attributes.some((attribute) => /^(max-age=0|expires=thu, 01 jan 1970.*)$/i.test(attribute))
    if (value === '' || isGone) this.#cookies.delete(name)
    else this.#cookies.set(name, { value, path })
  }

  get cookies(): string[] {
    return [...this.#cookies.values()].map(({ value }) => value)
  }

  async logIn(): Promise<void> {
    const response = await this.fetch(`${this.origin}${this.base}/login`, new URLSearchParams({ password: PASSWORD }))
    assert.equal(response.status, 303, await response.text())
  }

  /**
   * Goes through an authorization until it leaves this gateway, or stays on a page that is neither login nor consent.
   * @param answer the scopes to leave ticked: all that are shown, or `deny`
   */
  async authorize(start: string, answer: Answer = (shown) => shown): Promise<Arrival> {
    let response = await this.fetch(start)
    let at = start
    for (let step = 0; step < 20; step++) {
      const next = response.headers.get('location') ?? refreshOf(response)
      if (next !== undefined && next !== null) {
        const target = new URL(next, at)
        if (target.origin !== this.origin) return { location: target, page: undefined }
        at = target.href
        response = await this.fetch(at)
        continue
      }
      const text = await response.text()
      if (at.includes('/login')) {
        this.seen.push('login')
        const field = new URL(at).searchParams.get('next') ?? ''
        response = await this.fetch(
          `${this.origin}${this.base}/login`,
          new URLSearchParams({ password: PASSWORD, next: field }),
        )
      } else if (at.includes('/interaction/') && response.status === 200) {
        this.seen.push('consent')
        this.lastConsent = text
        const decision = answer(scopesIn(text))
        const form = new URLSearchParams({ decision: decision === 'deny' ? 'deny' : 'allow' })
        if (decision !== 'deny') for (const scope of decision) form.append('scope', scope)
        response = await this.fetch(at, form)
      } else return { location: undefined, page: { status: response.status, text, headers: response.headers } }
    }
    throw new Error('the authorization never ends')
  }
}

type Answer = (shown: string[]) => string[] | 'deny'

export interface Arrival {
  readonly location: URL | undefined
  readonly page: { readonly status: number; readonly text: string; readonly headers: Headers } | undefined
}

/** Scopes on a consent page. */
export function scopesIn(page: string): string[] {
  return [...page.matchAll(/name="scope" value="([^"]*)"/g)].map(([, scope = '']) => scope)
}

/** Scopes that are ticked on it. */
export function tickedIn(page: string): string[] {
  return [...page.matchAll(/name="scope" value="([^"]*)"\s+checked/g)].map(([, scope = '']) => scope)
}

function refreshOf(response: Response): string | undefined {
  return /^0; url=(.*)$/.exec(response.headers.get('refresh') ?? '')?.[1]
}

/** PKCE with S256 (RFC 7636). */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}
