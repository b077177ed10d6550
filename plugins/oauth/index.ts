// The room of the authorization server (OAuth 2.1): its endpoints for programs, and the pages of an authorization for people.
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { REGISTRATION_BYTES_MAX } from '../../src/oauth/registration.ts'
import { authorize } from './authorize.ts'
import { speakPages } from '../armour/pages.ts'
import { oauthFailure } from './failure.ts'
import { decide, showInteraction } from './interaction.ts'
import { introspect } from './introspect.ts'
import type { OAuthOptions } from './options.ts'
import { keySet, register, revoke } from './passing.ts'
import { createProviderSource, type ProviderSource } from './source.ts'
import { clientBudget, createTokenEndpoint } from './token.ts'

const FORM_BYTES_MAX = 32 << 10
const OPEN = { answers: 'oauth', cors: 'open' } as const
/** What makes us store or fetch something for a stranger is counted also when it succeeds. */
const COUNTED = { applicant: { refund: 'never' } } as const

async function room(app: FastifyInstance, options: OAuthOptions): Promise<void> {
  const provider = createProviderSource(app, options)
  await app.register(async (scope) => endpoints(scope, provider))
  await app.register(async (scope) => pages(scope, provider))
}

/** Bodies reach the authorization server as they came, so nothing parses them. */
function takeRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, next) => next(null, body))
}

function endpoints(app: FastifyInstance, provider: ProviderSource): void {
  takeRawBodies(app)
  app.setErrorHandler(oauthFailure)
  const config = { ...OPEN, applicant: { budgetOf: clientBudget(app) } }
  app.post('/token', { config, bodyLimit: FORM_BYTES_MAX }, createTokenEndpoint(app, provider))
  app.post('/register', { config: { ...OPEN, ...COUNTED }, bodyLimit: REGISTRATION_BYTES_MAX }, register(provider))
  app.post('/revoke', { config: { ...OPEN, ...COUNTED }, bodyLimit: FORM_BYTES_MAX }, revoke(provider))
  app.post('/introspect', { config: { answers: 'oauth' }, bodyLimit: FORM_BYTES_MAX }, introspect(app, provider))
  app.get('/jwks', { config: OPEN }, keySet(provider))
  for (const [url, methods] of [
    ['/token', 'POST'],
    ['/register', 'POST'],
    ['/revoke', 'POST'],
    ['/jwks', 'GET'],
  ] as const)
    app.options(url, { config: OPEN }, (_request, reply) =>
      reply.code(204).header('allow', `${methods}, OPTIONS`).send(),
    )
}

async function pages(app: FastifyInstance, provider: ProviderSource): Promise<void> {
  await speakPages(app)
  const config = { answers: 'html' } as const
  app.get('/authorize', { config: { ...config, ...COUNTED } }, authorize(app, provider))
  app.get('/authorize/:uid', { config }, authorize(app, provider))
  app.get<{ Params: { uid: string } }>('/interaction/:uid', { config }, showInteraction(app, provider))
  app.post<{ Params: { uid: string } }>('/interaction/:uid', { config }, decide(app, provider))
}

/** @param options what it reaches the world outside with; nothing for the real one */
export function createOAuthRoom(options: OAuthOptions): FastifyPluginAsync {
  const opened = async (app: FastifyInstance): Promise<void> => room(app, options)
  return fp(opened, {
    name: 'oauth',
    dependencies: ['doors/applicant', 'ground/addresses'],
    encapsulate: true,
    fastify: '5.x',
  })
}
