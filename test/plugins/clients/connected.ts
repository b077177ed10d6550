// The whole gateway with its owner signed in over HTTP, and clients that were let in the real way.
import type { TestContext } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { startApp, type RunningApp } from '../../fixtures/running-app.ts'
import { Browser as Dashboard } from '../login/browser.ts'
import { Browser } from '../oauth/browser.ts'
import { begin, codeIn, newClient, redeem, WEB } from '../oauth/client.ts'
import { PASSWORD } from '../../fixtures/sign-in.ts'

export interface Connected {
  readonly access: string
  readonly refresh: string
  readonly clientId: string
}

export interface Owned extends RunningApp {
  /** The owner's browser, on which the pages are looked at. */
  readonly owner: Dashboard
  /** Lets a client in that registered under this name. */
  readonly letIn: (name: string, scope: string, redirectUri?: string) => Promise<Connected>
  /** A request of a program of the owner. */
  readonly api: (method: 'GET' | 'POST' | 'DELETE', url: string, body?: object) => Promise<LightMyRequestResponse>
}

export async function owned(t: TestContext, env: Record<string, string> = {}): Promise<Owned> {
  const running = await startApp({ CROW_LIMIT_STRANGER: '100000', ...env })
  t.after(() => running.close())
  const { app, origin } = running
  await app.operators.setPassword(PASSWORD)
  const host = new URL(origin).host
  const owner = new Dashboard(app, { host })
  await owner.post('/login', { password: PASSWORD })
  const person = new Browser(origin)
  return {
    ...running,
    owner,
    async letIn(name, scope, redirectUri = WEB) {
      const clientId = await newClient(running, redirectUri, { client_name: name })
      const at = { resource: `${origin}/memory/mcp`, redirect_uri: redirectUri, scope }
      const { url, verifier } = begin(running, clientId, at)
      const code = codeIn(await person.authorize(url))
      const { body } = await redeem(running, { code, verifier, clientId, redirectUri })
      return { access: String(body['access_token']), refresh: String(body['refresh_token']), clientId }
    },
    api(method, url, body) {
      const cookie = [...owner.cookies].map(([key, value]) => `${key}=${value}`).join('; ')
      const headers = { host, cookie, origin, 'sec-fetch-site': 'same-origin' }
      return app.inject({ method, url, headers, ...(body === undefined ? {} : { payload: body }) })
    },
  }
}

/** Values of hidden fields and buttons of the forms that go to this path. */
export function fieldsOf(page: string, action: string): string[] {
  const forms = [...page.matchAll(/<form[^>]* action="([^"]*)"[^>]*>([^]*?)<\/form>/g)]
  return forms
    .filter(([, to]) => to === action)
    .map(([, , inside = '']) => /type="hidden" name="\w+" value="([^"]*)"/.exec(inside)?.[1] ?? '')
}
