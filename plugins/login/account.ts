// The page of the signed-in owner and its forms. Each form answers with 303, so that reloading repeats nothing; what changes how one
// signs in asks for the password again.
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ShortLived } from '../../src/operator/short-lived.ts'
import { renderAccount, renderEnrolment, renderRecoveryCodes } from '../../src/pages/account.ts'
import type { Problem } from '../../src/pages/notice.ts'
import type { ShownChange } from '../../src/pages/waiting.ts'
import { listProposals, type Proposal } from '../../src/servers/memory/queries/proposals.ts'
import { proposalName } from '../../src/servers/memory/render/section-diff.ts'
import { seeOther, sendPage, speakPages, toldOf } from '../armour/pages.ts'
import { signIn, signOut, visitorOf } from '../doors/operator-cookie.ts'
import { refuseUnequal } from './passwords.ts'

const asPage = { config: { answers: 'html' } } as const
const text = Type.String({ maxLength: 4096 })
const confirmed = { ...asPage, schema: { body: Type.Object({ current: text }) } }

/** What was done, as the address says it, and as the page does. */
const DONE: Readonly<Record<string, string>> = {
  password: 'The password is changed, and you are signed out everywhere else.',
  'factor-off': 'The second factor is off.',
  session: 'That session has ended.',
  sessions: 'You are signed out everywhere else.',
}

const CODES_MS = 5 * 60_000

type Form<Body> = FastifyRequest<{ Body: Body }>

const account: FastifyPluginAsync = async (app) => {
  await speakPages(app)
  const codes = new ShortLived<readonly string[]>(CODES_MS)
  app.get('/account', asPage, (request, reply) => showAccount(app, request, reply))
  app.post(
    '/account/password',
    { ...asPage, schema: { body: Type.Object({ current: text, password: text, repeated: text }) } },
    (request: Form<PasswordForm>, reply) => changePassword(app, request, reply),
  )
  app.post('/account/second-factor', confirmed, (request: Form<Confirmed>, reply) => beginFactor(app, request, reply))
  app.get('/account/second-factor', asPage, (request, reply) => showFactor(app, request, reply))
  app.post(
    '/account/second-factor/confirm',
    { ...asPage, schema: { body: Type.Object({ code: text }) } },
    (request: Form<{ code: string }>, reply) => confirmFactor(app, codes, request, reply),
  )
  app.post('/account/second-factor/off', confirmed, (request: Form<Confirmed>, reply) => endFactor(app, request, reply))
  app.post('/account/recovery-codes', confirmed, (request: Form<Confirmed>, reply) =>
    renewCodes(app, codes, request, reply),
  )
  app.get('/account/recovery-codes', asPage, (request, reply) => showCodes(app, codes, request, reply))
  app.post(
    '/account/sessions/revoke',
    { ...asPage, schema: { body: Type.Object({ id: Type.Integer({ minimum: 1 }) }) } },
    (request: Form<{ id: number }>, reply) => revoke(app, request, reply),
  )
  app.post('/account/sessions/revoke-others', asPage, async ({ operator }, reply) => {
    await app.operators.revokeAll(operator.id)
    return done(reply, 'sessions')
  })
}

interface PasswordForm {
  current: string
  password: string
  repeated: string
}
interface Confirmed {
  current: string
}
type Codes = ShortLived<readonly string[]>

const done = (reply: FastifyReply, what: string): FastifyReply => seeOther(reply, `/account?done=${what}`)

function showAccount(
  { operators, config, database }: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  problem?: Problem,
): FastifyReply {
  const { query } = request
  const said = typeof query === 'object' && query !== null && 'done' in query ? String(query.done) : ''
  const facts = {
    base: config.basePath,
    sessions: operators.sessions(),
    current: request.operator.id,
    hasSecondFactor: operators.hasSecondFactor(),
    recoveryCodesLeft: operators.recoveryCodesLeft(),
    waiting: listProposals(database).map(shownChange),
    problem,
    done: problem === undefined && Object.hasOwn(DONE, said) ? DONE[said] : undefined,
  }
  return sendPage(reply, renderAccount(facts))
}

const shownChange = (proposal: Proposal): ShownChange => ({
  id: proposal.id,
  name: proposalName(proposal),
  by: proposal.client ?? proposal.caller,
  createdAt: proposal.createdAt,
})

/** Does what a form asks for, or shows the account with the reason why not. */
async function attempt(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    return showAccount(app, request, reply, toldOf(error, request, reply))
  }
}

async function changePassword(
  app: FastifyInstance,
  request: Form<PasswordForm>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { current, password, repeated } = request.body
  return await attempt(app, request, reply, async () => {
    refuseUnequal(password, repeated)
    const visitor = visitorOf(request, request.operator)
    signIn(request, reply, await app.operators.changePassword({ ...visitor, current, next: password }))
    return done(reply, 'password')
  })
}

async function beginFactor(app: FastifyInstance, request: Form<Confirmed>, reply: FastifyReply): Promise<FastifyReply> {
  const { operator, body } = request
  return await attempt(app, request, reply, async () => {
    await app.operators.enrolFactor(operator, body.current, visitorOf(request, operator))
    return seeOther(reply, '/account/second-factor')
  })
}

async function showFactor(
  { operators, config }: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  problem?: Problem,
): Promise<FastifyReply> {
  const enrolment = operators.enrolment(request.operator)
  if (enrolment === undefined) return seeOther(reply, '/account')
  return sendPage(reply, await renderEnrolment({ base: config.basePath, ...enrolment, problem }))
}

async function confirmFactor(
  app: FastifyInstance,
  codes: Codes,
  request: Form<{ code: string }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { operator, body } = request
  try {
    const made = await app.operators.confirmFactor(operator, body.code, visitorOf(request, operator))
    codes.put(operator.id, made, app.clock.now())
    return seeOther(reply, '/account/recovery-codes')
  } catch (error) {
    const problem = toldOf(error, request, reply)
    if (app.operators.enrolment(operator) === undefined) return showAccount(app, request, reply, problem)
    return await showFactor(app, request, reply, problem)
  }
}

async function endFactor(app: FastifyInstance, request: Form<Confirmed>, reply: FastifyReply): Promise<FastifyReply> {
  const { operator, body } = request
  return await attempt(app, request, reply, async () => {
    await app.operators.disableFactor({ password: body.current, visitor: visitorOf(request, operator) })
    return done(reply, 'factor-off')
  })
}

async function renewCodes(
  app: FastifyInstance,
  codes: Codes,
  request: Form<Confirmed>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { operator, body } = request
  return await attempt(app, request, reply, async () => {
    const made = await app.operators.makeRecoveryCodes(body.current, visitorOf(request, operator))
    codes.put(operator.id, made, app.clock.now())
    return seeOther(reply, '/account/recovery-codes')
  })
}

/** Shows them once: a second look finds nothing. */
function showCodes(
  { clock, config }: FastifyInstance,
  codes: Codes,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const made = codes.take(request.operator.id, clock.now())
  if (made === undefined) return seeOther(reply, '/account')
  return sendPage(reply, renderRecoveryCodes({ base: config.basePath, codes: made }))
}

async function revoke(
  { operators }: FastifyInstance,
  request: Form<{ id: number }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { operator, body } = request
  await operators.revoke(body.id)
  if (body.id !== operator.id) return done(reply, 'session')
  signOut(request, reply)
  return seeOther(reply, '/login')
}

export default fp(account, {
  name: 'login/account',
  dependencies: ['doors/operator'],
  encapsulate: true,
  fastify: '5.x',
})
