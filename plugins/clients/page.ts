// The page of connected clients and its forms. Each form answers with 303, so that reloading repeats nothing; the secret of a new
// token waits in memory for the one look at it and is never part of an address.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ShortLived } from '../../src/operator/short-lived.ts'
import { renderClients } from '../../src/pages/clients.ts'
import { renderSecret } from '../../src/pages/clients-secret.ts'
import type { TokenForm } from '../../src/pages/clients-tokens.ts'
import type { Problem } from '../../src/pages/notice.ts'
import { seeOther, sendPage, speakPages, toldOf } from '../armour/pages.ts'
import { DAYS_MAX, makeToken, type MadeToken } from './make-token.ts'
import { secretPageOf } from './snippet.ts'
import { formOf, viewOf, type Cursors, type TypedToken } from './view.ts'

const config = { answers: 'html' } as const
const asPage = { config } as const
const numbered = { config, schema: { body: Type.Object({ id: Type.Integer({ minimum: 1 }) }) } }
const keyed = { config, schema: { body: Type.Object({ key: Type.String({ maxLength: 64 }) }) } }
const text = (maxLength: number) => Type.String({ maxLength })
const typed = Type.Object({
  name: text(4096),
  scope: Type.Optional(Type.Array(text(80), { maxItems: 200 })),
  everything: Type.Optional(Type.Boolean()),
  days: Type.Integer({ minimum: 0, maximum: DAYS_MAX }),
  client: text(80),
})

/** What was done, as the address says it, and as the page does. */
const DONE: Readonly<Record<string, string>> = {
  client: 'That client is disconnected.',
  clients: 'Every client is disconnected.',
  consent: 'You will be asked about that client again.',
  consents: 'You will be asked about every client again.',
  registration: 'That client is forgotten, and whatever it held has ended.',
  token: 'That token is revoked.',
  tokens: 'Every token is revoked.',
}

/** How long the secret of a new token waits to be looked at. */
const SECRET_MS = 5 * 60_000

interface Waiting {
  readonly made: MadeToken
  readonly client: string
}
type Form<Body> = FastifyRequest<{ Body: Body }>
type Numbered = Form<{ id: number }>
type Keyed = Form<{ key: string }>
type Typed = Partial<Pick<TypedToken, 'scope' | 'everything'>> & Omit<TypedToken, 'scope' | 'everything'>
interface Told {
  readonly problem: Problem
  readonly form?: TokenForm
}

export async function clientPages(app: FastifyInstance): Promise<void> {
  await speakPages(app)
  const { authorizations, knownClients, tokens } = app
  const waiting = new ShortLived<Waiting>(SECRET_MS)
  app.get('/clients', asPage, (request, reply) => show(app, request, reply))

  /** Does the one thing that a form asks for, after which the page says that it is done. */
  const act = async (
    request: FastifyRequest,
    reply: FastifyReply,
    done: string,
    work: Promise<unknown>,
  ): Promise<FastifyReply> => {
    try {
      await work
    } catch (error) {
      return show(app, request, reply, { problem: toldOf(error, request, reply) })
    }
    return seeOther(reply, `/clients?done=${done}`)
  }
  app.post('/clients/revoke', numbered, (request: Numbered, reply) =>
    act(request, reply, 'client', authorizations.revoke(request.body.id)),
  )
  app.post('/clients/revoke-all', asPage, (request, reply) =>
    act(request, reply, 'clients', authorizations.revokeAll()),
  )
  app.post('/clients/consents/forget', keyed, (request: Keyed, reply) =>
    act(request, reply, 'consent', knownClients.forgetConsent(request.body.key)),
  )
  app.post('/clients/consents/forget-all', asPage, (request, reply) =>
    act(request, reply, 'consents', knownClients.forgetConsents()),
  )
  app.post('/clients/registered/forget', keyed, (request: Keyed, reply) =>
    act(request, reply, 'registration', knownClients.forget(request.body.key)),
  )
  app.post('/clients/tokens/revoke', numbered, (request: Numbered, reply) =>
    act(request, reply, 'token', tokens.revoke(request.body.id)),
  )
  app.post('/clients/tokens/revoke-all', asPage, (request, reply) => act(request, reply, 'tokens', tokens.revokeAll()))

  app.post('/clients/tokens', { config, schema: { body: typed } }, (request: Form<Typed>, reply) =>
    create(app, waiting, request, reply),
  )
  app.get('/clients/tokens/new', asPage, (request, reply) => {
    const kept = waiting.take(request.operator.id, app.clock.now())
    if (kept === undefined) return seeOther(reply, '/clients')
    return sendPage(reply, renderSecret(secretPageOf(request, kept.made, kept.client)))
  })
}

async function create(
  app: FastifyInstance,
  waiting: ShortLived<Waiting>,
  request: Form<Typed>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { scope = [], everything = false, ...rest } = request.body
  const typedToken: TypedToken = { ...rest, name: rest.name.trim(), scope, everything }
  const { name, days, client } = typedToken
  try {
    // Whoever ticks everything means it, whatever else is ticked.
    const wish = { name, scopes: everything ? [] : scope, everything, days: days === 0 ? undefined : days }
    const made = await makeToken(app, wish)
    waiting.put(request.operator.id, { made, client }, app.clock.now())
  } catch (error) {
    const problem = toldOf(error, request, reply)
    const wrong = problem.code === 'TOKEN_SCOPE_INVALID' ? ('scope' as const) : ('name' as const)
    return show(app, request, reply, { problem, form: { ...formOf(app, typedToken), wrong } })
  }
  return seeOther(reply, '/clients/tokens/new')
}

function show(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply, told?: Told): FastifyReply {
  const query = new Map(Object.entries(Object(request.query)))
  const said = textIn(query, 'done')
  const cursors: Cursors = {
    connected: textIn(query, 'connected'),
    remembered: textIn(query, 'remembered'),
    registered: textIn(query, 'registered'),
    tokens: textIn(query, 'tokens'),
  }
  const page = {
    ...viewOf(app, cursors),
    form: told?.form ?? formOf(app),
    problem: told?.problem,
    done: told === undefined && said !== undefined && Object.hasOwn(DONE, said) ? DONE[said] : undefined,
  }
  return sendPage(reply, renderClients(page))
}

function textIn(query: ReadonlyMap<string, unknown>, name: string): string | undefined {
  const value = query.get(name)
  return typeof value === 'string' ? value : undefined
}
