// The cookies of the owner's browsers: one for the session, one that says somebody signed in here before. Signed, never readable
// by script, and bound to this host where the address is https; elsewhere to this port, by their names.
import cookie from '@fastify/cookie'
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cookieKeys } from '../../src/operator/cookie-keys.ts'
import { isPublicHttps } from './self.ts'

declare module 'fastify' {
  interface FastifyInstance {
    cookieJar: CookieJar
  }
}

export type CookieName = 'operator' | 'device'

export interface CookieJar {
  /** The value of a cookie that carries our signature. */
  read(request: FastifyRequest, name: CookieName): string | undefined
  /** Puts a cookie on the answer. */
  write(reply: FastifyReply, name: CookieName, value: string, maxAgeMs: number): void
  /** Takes a cookie away from the browser. */
  clear(reply: FastifyReply, name: CookieName): void
}

/** Of a gateway that is alone on its host. */
const USUAL_PORTS = new Set(['80', '3001'])
const LOOK_MS = 24 * 3_600_000

async function cookies(app: FastifyInstance): Promise<void> {
  const { basePath } = app.config
  const { Signer } = cookie
  let signer = new Signer([...(await cookieKeys(app.secrets, app.clock))])
  const timer = setInterval(() => {
    cookieKeys(app.secrets, app.clock).then(
      (keys) => void (signer = new Signer([...keys])),
      (error: unknown) => app.log.warn({ err: error }, 'the keys of the cookies were not renewed'),
    )
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
  const bake = (reply: FastifyReply, name: CookieName, value: string, maxAgeMs: number): void => {
    const secure = isPublicHttps(reply.request)
    const attributes = { httpOnly: true, sameSite: 'lax', secure, path: secure ? '/' : basePath || '/' } as const
    const maxAge = Math.floor(maxAgeMs / 1000)
    reply.header('set-cookie', codec.serializeCookie(nameOf(name, reply.request), value, { ...attributes, maxAge }))
  }
  app.decorate('cookieJar', {
    read(request, name) {
      const { cookie: header } = request.raw.headers
      if (header === undefined) return undefined
      const signed = codec.parseCookie(header)[nameOf(name, request)]
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

/**
 * `__Host-`: the browser takes it only over https, for the whole host, and from no neighbour (RFC 6265bis §4.1.3). Without
 * https every port of a host shares one jar, so that a second gateway beside this one would sign the owner out here.
 */
function nameOf(name: CookieName, request: FastifyRequest): string {
  if (isPublicHttps(request)) return `__Host-crow_${name}`
  const port = /:(\d+)$/.exec(request.raw.headers.host ?? '')?.[1]
  return port === undefined || USUAL_PORTS.has(port) ? `crow_${name}` : `crow_${name}_${port}`
}

export default fp(cookies, { name: 'armour/cookies', dependencies: ['ground/gateway'], fastify: '5.x' })
