// The cookies of the owner's browsers: one for the session, one that says somebody signed in here before. Signed, never readable
// by script, and bound to this host where the address is https. Their names are those of this gateway and no other.
import cookie from '@fastify/cookie'
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cookieKeys, cookieMark, LOOK_MS } from '../../src/operator/cookie-keys.ts'
import { isPublicHttps } from './self.ts'

declare module 'fastify' {
  interface FastifyInstance {
    cookieJar: CookieJar
  }
}

export type CookieName = 'operator' | 'device'

/** What the browser asks of a cookie with such a name (RFC 6265bis §4.1.3). */
export type CookiePrefix = '' | '__Host-' | '__Secure-'

export interface CookieJar {
  /** The keys of now; the first one signs. */
  readonly keys: readonly string[]
  /** The name of a cookie of this gateway. */
  nameOf(name: string, prefix: CookiePrefix): string
  /** The value of a cookie that carries our signature. */
  read(request: FastifyRequest, name: CookieName): string | undefined
  /** Puts a cookie on the answer. */
  write(reply: FastifyReply, name: CookieName, value: string, maxAgeMs: number): void
  /** Takes a cookie away from the browser. */
  clear(reply: FastifyReply, name: CookieName): void
}

async function cookies(app: FastifyInstance): Promise<void> {
  const { basePath } = app.config
  const { Signer } = cookie
  const mark = await cookieMark(app.secrets, app.config.databasePath)
  let keys = await cookieKeys(app.secrets, app.clock)
  let signer = new Signer([...keys])
  const look = async (): Promise<void> => {
    keys = await cookieKeys(app.secrets, app.clock)
    signer = new Signer([...keys])
  }
  const timer = setInterval(() => {
    look().catch((error: unknown) => app.log.warn({ err: error }, 'the keys of the cookies were not renewed'))
  }, LOOK_MS).unref()
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer)
    done()
  })
  // Only its reading and writing is wanted: its hooks would run with every call of every client.
  let codec: Pick<FastifyInstance, 'parseCookie' | 'serializeCookie'> = app
  await app.register(async (scope) => {
    await scope.register(cookie, { hook: false })
    codec = scope
  })
  const nameOf = (name: string, prefix: CookiePrefix): string => `${prefix}crow_${name}_${mark}`
  /** `__Host-`: the browser takes it only over https, for the whole host, and from no neighbour. */
  const ownName = (name: CookieName, request: FastifyRequest): string =>
    nameOf(name, isPublicHttps(request) ? '__Host-' : '')
  const bake = (reply: FastifyReply, name: CookieName, value: string, maxAgeMs: number): void => {
    const secure = isPublicHttps(reply.request)
    const attributes = { httpOnly: true, sameSite: 'lax', secure, path: secure ? '/' : basePath || '/' } as const
    const maxAge = Math.floor(maxAgeMs / 1000)
    reply.header('set-cookie', codec.serializeCookie(ownName(name, reply.request), value, { ...attributes, maxAge }))
  }
  app.decorate('cookieJar', {
    get keys() {
      return keys
    },
    nameOf,
    read(request, name) {
      const { cookie: header } = request.raw.headers
      if (header === undefined) return undefined
      const signed = codec.parseCookie(header)[ownName(name, request)]
      const opened = signed === undefined ? undefined : signer.unsign(signed)
      // The name is signed with the value, or one cookie could be sent as the other.
      return opened?.valid === true && opened.value.startsWith(`${name}.`)
        ? opened.value.slice(name.length + 1)
        : undefined
    },
    write: (reply, name, value, maxAgeMs) => bake(reply, name, signer.sign(`${name}.${value}`), maxAgeMs),
    clear: (reply, name) => bake(reply, name, '', 0),
  })
}

export default fp(cookies, { name: 'armour/cookies', dependencies: ['ground/gateway'], fastify: '5.x' })
