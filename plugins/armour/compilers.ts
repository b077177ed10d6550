// When the schemas of routes are compiled: each with the first request that it judges, and the first answer that it writes.
// Compiling them all takes longer than the rest of the start, and a gateway that only serves AI clients needs hardly any.
import AjvCompiler from '@fastify/ajv-compiler'
import SerializerSelector from '@fastify/fast-json-stringify-compiler'
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'

/** What a schema does not name is refused or kept, never silently removed. */
const OPTIONS = { customOptions: { removeAdditional: false as const } }

/** Fastify's own validation, later. */
function createValidatorCompiler(): FastifySchemaCompiler<object> {
  let compile: ReturnType<ReturnType<typeof AjvCompiler>> | undefined
  return ({ schema }) => {
    let judge: ReturnType<NonNullable<typeof compile>> | undefined
    const validate: ReturnType<FastifySchemaCompiler<object>> = (value: unknown) => {
      compile ??= AjvCompiler()({}, OPTIONS)
      judge ??= compile({ schema })
      const isValid = judge(value) === true
      validate.errors = judge.errors ?? null
      return isValid
    }
    return validate
  }
}

/** Fastify's own serialization, later. */
function createSerializerCompiler(): FastifySerializerCompiler<object> {
  let compile: ReturnType<ReturnType<typeof SerializerSelector>> | undefined
  return ({ schema, method, url, httpStatus }) => {
    let write: ReturnType<NonNullable<typeof compile>> | undefined
    return (value) => {
      compile ??= SerializerSelector()({}, {})
      write ??= compile({ schema, method, url, httpStatus: httpStatus ?? '' })
      return write(value)
    }
  }
}

function compilers(app: FastifyInstance, _options: object, done: () => void): void {
  app.setValidatorCompiler(createValidatorCompiler())
  app.setSerializerCompiler(createSerializerCompiler())
  done()
}

export default fp(compilers, { name: 'armour/compilers', fastify: '5.x' })
