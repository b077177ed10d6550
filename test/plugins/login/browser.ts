// A browser without script on the real gateway: keeps its cookies, sends forms as browsers do, and follows nothing by itself.
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { TestContext } from 'node:test'
import { createLog } from '../../../src/lib/log.ts'
import { startApp } from '../../fixtures/running-app.ts'

export const PASSWORD = 'three quiet otters in the harbour'

export interface Gateway {
  readonly app: FastifyInstance
  readonly time: { offsetMs: number }
  readonly lines: string[]
}

/** The whole gateway with a clock that tests move and a log that they read. */
export async function gateway(t: TestContext, env: Record<string, string> = {}): Promise<Gateway> {
  const time = { offsetMs: 0 }
  const lines: string[] = []
  const log = createLog({ level: 'debug', write: (line) => void lines.push(line) })
  const running = await startApp(
    { CROW_LOG_LEVEL: 'debug', ...env },
    { log, clock: { now: () => Date.now() + time.offsetMs } },
  )
  t.after(() => running.close())
  return { app: running.app, time, lines }
}

export class Browser {
  readonly #app: FastifyInstance
  readonly host: string
  readonly #scheme: string
  readonly address: string
  readonly cookies = new Map<string, string>()

  constructor(app: FastifyInstance, { host = '127.0.0.1:3001', scheme = 'http', address = '127.0.0.1' } = {}) {
    this.#app = app
    this.host = host
    this.#scheme = scheme
    this.address = address
  }

  get(url: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> {
    return this.#send({ method: 'GET', url, headers: { ...this.#headers(), ...headers } })
  }

  /** Sends a form from a page of the gateway, unless the headers say otherwise; an empty one takes a header away. */
  post(
    url: string,
    form: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<LightMyRequestResponse> {
    const sent = {
      ...this.#headers(),
      'content-type': 'application/x-www-form-urlencoded',
      origin: `${this.#scheme}://${this.host}`,
      'sec-fetch-site': 'same-origin',
      ...headers,
    }
    const kept = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''))
    return this.#send({ method: 'POST', url, headers: kept, payload: new URLSearchParams(form).toString() })
  }

  #headers(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return {
      host: this.host,
      accept: 'text/html',
      'user-agent': 'Mozilla/5.0 (Linux) Firefox/140.0',
      ...(cookie === '' ? {} : { cookie }),
    }
  }

  async #send(request: { method: 'GET' | 'POST'; url: string; headers: Record<string, string>; payload?: string }) {
    const answer = await this.#app.inject({ ...request, remoteAddress: this.address })
    for (const { name, value, maxAge } of answer.cookies) {
      if (maxAge === 0) this.cookies.delete(name)
      else this.cookies.set(name, encodeURIComponent(value))
    }
    return answer
  }
}

/** What a page says went wrong, without its markup. */
export function problemOn({ body }: LightMyRequestResponse): string {
  return (/role="alert"[^>]*>([^]*?)<\/div>/.exec(body)?.[1] ?? '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** A gateway whose owner has a password, and a browser on which they signed in. */
export async function signedIn(t: TestContext, env: Record<string, string> = {}) {
  const made = await gateway(t, env)
  await made.app.operators.setPassword(PASSWORD)
  const browser = new Browser(made.app)
  await browser.post('/login', { password: PASSWORD })
  return { ...made, browser }
}

/** Name of the cookie of the owner's session on http. */
export const sessionOf = ({ cookieJar }: FastifyInstance): string => cookieJar.nameOf('operator', '')
