// The pages before the door: the first password, signing in and out. Behind `applicant`, so that an address gets few tries.
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { DomainError } from '../../src/errors.ts'
import { renderLogin, renderSetup } from '../../src/pages/login.ts'
import { loginPath, seeOther, sendPage, speakPages, toldOf } from '../armour/pages.ts'
import { refuseForeignForm } from '../armour/self.ts'
import { operatorOf, signIn, signOut, visitorOf } from '../doors/operator-cookie.ts'
import { ownPath } from './next-path.ts'
import { refuseUnequal } from './passwords.ts'

const page = { config: { answers: 'html' } } as const
const setupPage = { config: { answers: 'html', beforeSetup: true } } as const
const text = Type.String({ maxLength: 4096 })
const SetupForm = Type.Object({ code: text, password: text, repeated: text, next: Type.Optional(text) })
const LoginForm = Type.Object({ password: text, code: Type.Optional(text), next: Type.Optional(text) })

type SetupRequest = FastifyRequest<{ Body: { code: string; password: string; repeated: string; next?: string } }>
type LoginRequest = FastifyRequest<{ Body: { password: string; code?: string; next?: string } }>

const login: FastifyPluginAsync = async (app) => {
  await speakPages(app)
  app.addHook('onRequest', async (request) => refuseForeignForm(request))
  app.get('/setup', setupPage, (request, reply) => showSetup(app, request, reply))
  app.post('/setup', { ...setupPage, schema: { body: SetupForm } }, (request: SetupRequest, reply) =>
    setUp(app, request, reply),
  )
  app.get('/login', page, (request, reply) => showLogin(app, request, reply))
  app.post('/login', { ...page, schema: { body: LoginForm } }, (request: LoginRequest, reply) =>
    signInWith(app, request, reply),
  )
  app.post('/logout', page, (request, reply) => logOut(app, request, reply))
}

function showSetup({ operators, config }: FastifyInstance, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const next = nextOf(request.query)
  if (operators.exists()) return seeOther(reply, next === undefined ? '/login' : loginPath(next))
  return sendPage(reply, renderSetup({ base: config.basePath, next }))
}

async function setUp(
  { operators, config }: FastifyInstance,
  request: SetupRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { code, password, repeated } = request.body
  const next = ownPath(request.body.next)
  try {
    refuseUnequal(password, repeated)
    signIn(request, reply, await operators.setUp({ ...visitorOf(request), code, password }))
    return seeOther(reply, next ?? '/account')
  } catch (error) {
    if (error instanceof DomainError && error.code === 'OPERATOR_EXISTS') return seeOther(reply, '/login')
    const problem = toldOf(error, request, reply)
    return sendPage(reply, renderSetup({ base: config.basePath, next, problem }))
  }
}

function showLogin({ operators, config }: FastifyInstance, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const next = nextOf(request.query)
  if (!operators.exists()) return seeOther(reply, next === undefined ? '/setup' : setupPath(next))
  if (operatorOf(request) !== undefined) return seeOther(reply, next ?? '/account')
  return sendPage(reply, renderLogin({ base: config.basePath, next, hasSecondFactor: operators.hasSecondFactor() }))
}

async function signInWith(
  { operators, config }: FastifyInstance,
  request: LoginRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { password, code, next } = request.body
  const target = ownPath(next)
  try {
    const replaces = operatorOf(request)
    signIn(request, reply, await operators.login({ ...visitorOf(request), password, code, replaces }))
    return seeOther(reply, target ?? '/account')
  } catch (error) {
    const problem = toldOf(error, request, reply)
    const hasSecondFactor = operators.hasSecondFactor()
    return sendPage(reply, renderLogin({ base: config.basePath, next: target, hasSecondFactor, problem }))
  }
}

/** Also for a session that has ended already: whoever asks is signed out afterwards. */
async function logOut(
  { operators }: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const session = operatorOf(request)
  if (session !== undefined) await operators.revoke(session.id)
  signOut(request, reply)
  return seeOther(reply, '/login')
}

const setupPath = (next: string): string => `/setup?next=${encodeURIComponent(next)}`

function nextOf(query: unknown): string | undefined {
  return typeof query === 'object' && query !== null && 'next' in query ? ownPath(query.next) : undefined
}

export default fp(login, { name: 'login', dependencies: ['doors/applicant'], encapsulate: true, fastify: '5.x' })
