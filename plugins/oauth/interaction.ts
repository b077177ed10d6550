// The steps of a person in an authorization: being logged in, and consenting. Nothing goes on without a live operator session.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { InteractionResults, Provider } from 'oidc-provider'
import { DomainError } from '../../src/errors.ts'
import { html } from '../../src/lib/html.ts'
import { renderConsent } from '../../src/pages/consent.ts'
import { page } from '../../src/pages/shell.ts'
import { formActionFor, loginPath, seeOther, sendPage } from '../armour/pages.ts'
import { refuseForeignForm } from '../armour/self.ts'
import { operatorOf } from '../doors/operator-cookie.ts'
import { exchangeFor } from './ask.ts'
import { consentOf } from './consent.ts'
import type { ProviderSource } from './source.ts'

type Request = FastifyRequest<{ Params: { uid: string } }>
type Details = Awaited<ReturnType<Provider['interactionDetails']>>

export function showInteraction(app: FastifyInstance, source: ProviderSource) {
  return async (request: Request, reply: FastifyReply): Promise<FastifyReply> => {
    const provider = await source()
    const details = await detailsOf(provider, request)
    if (operatorOf(request) === undefined) return toLogin(reply, details)
    if (details.prompt.name === 'login') {
      const to = await finish(provider, request, reply, { login: { accountId: 'operator', remember: false } })
      return goOn(request, reply, to)
    }
    const client = await clientOf(provider, details)
    const formAction = formActionFor(String(details.params['redirect_uri']))
    return sendPage(reply, renderConsent(consentOf(app, client, details)), { formAction })
  }
}

export function decide(app: FastifyInstance, source: ProviderSource) {
  return async (request: Request, reply: FastifyReply): Promise<FastifyReply> => {
    refuseForeignForm(request)
    const provider = await source()
    const details = await detailsOf(provider, request)
    if (operatorOf(request) === undefined) return toLogin(reply, details)
    if (details.prompt.name !== 'consent') throw over()
    const result = await resultOf(app, provider, request, details)
    return reply.redirect(await finish(provider, request, reply, result), 303)
  }
}

async function resultOf(
  app: FastifyInstance,
  provider: Provider,
  request: Request,
  details: Details,
): Promise<InteractionResults> {
  // Comes with the authorization server, so it is loaded only now.
  const { consentRequestOf, grantFor, mayRemember } = await import('./grant.ts')
  const { params } = details
  const client = await clientOf(provider, details)
  const consent = consentRequestOf(app, { client, params })
  const form = new Map(Object.entries(Object(request.body)))
  const ticked = [form.get('scope')].flat()
  const granted = consent.asked.filter((scope) => ticked.includes(scope))
  if (form.get('decision') !== 'allow' || granted.length === 0) {
    await app.authorizations.forget(consent)
    return { error: 'access_denied', error_description: 'the operator did not consent' }
  }
  const grantId = await grantFor(app, provider, { client, params, granted })
  if (mayRemember(client, consent.redirectUri)) await app.authorizations.remember(consent, granted)
  return { consent: { grantId } }
}

/** The interaction this browser began; the address alone opens nothing. */
async function detailsOf(provider: Provider, request: Request): Promise<Details> {
  const { message, response } = exchangeFor(provider, request, questionOf(request))
  const details = await provider.interactionDetails(message, response).catch((error: unknown) => {
    throw error instanceof Error && error.name === 'SessionNotFound' ? over() : error
  })
  if (details.uid !== request.params.uid) throw over()
  return details
}

async function clientOf(provider: Provider, { params }: Details) {
  const client = await provider.Client.find(String(params['client_id']))
  if (client === undefined) throw over()
  return client
}

/** @returns where the browser goes on */
async function finish(
  provider: Provider,
  request: Request,
  reply: FastifyReply,
  result: InteractionResults,
): Promise<string> {
  const { message, response, answer } = exchangeFor(provider, request, questionOf(request))
  const to = await provider.interactionResult(message, response, result, { mergeWithLastSubmission: true })
  const cookies = answer().headers['set-cookie']
  if (cookies !== undefined) reply.header('set-cookie', cookies)
  return to
}

const questionOf = ({ method, raw, headers }: Request) => ({ method, url: raw.url ?? '/', headers })

/** Told to the login page, and by it to us: the browser comes from a form, whose `form-action` still holds. */
const AFTER_LOGIN = '?after=login'

const toLogin = (reply: FastifyReply, { uid }: Details): FastifyReply =>
  seeOther(reply, loginPath(`/interaction/${uid}${AFTER_LOGIN}`))

/**
 * A redirect out of the answer to a form is bound by the `form-action` of the page with that form, over every hop. The
 * login page cannot name the redirect of a client, so after it the browser goes on from a page of its own.
 */
function goOn(request: Request, reply: FastifyReply, to: string): FastifyReply {
  if (!(request.raw.url ?? '').endsWith(AFTER_LOGIN)) return reply.redirect(to, 303)
  const { basePath } = request.server.config
  const body = html`<p><a class="button" href="${to}">Go on</a></p>`
  reply.header('refresh', `0; url=${to}`)
  return sendPage(reply, page({ title: 'Signed in', base: basePath, body }))
}

const over = (): DomainError =>
  new DomainError('invalid', 'INTERACTION_OVER', 'This request is over, or was begun in another browser.', {
    hint: 'Go back to the app and connect again.',
  })
