// What any thrown value means to the outside: a status, a code and one safe sentence. Each dialect renders this, none decides again.
import { GatewayError, type ErrorKind } from '../../src/errors.ts'

interface FieldFailure {
  /** JSON Pointer into the part of the request that was checked. */
  readonly path: string
  readonly message: string
}

export interface Failure {
  readonly status: number
  readonly kind: ErrorKind
  readonly code: string
  /** One sentence, safe to show. */
  readonly message: string
  readonly hint?: string
  readonly retryAfterMs?: number
  readonly fields?: readonly FieldFailure[]
}

const STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  conflict: 409,
  limited: 429,
  unavailable: 503,
  internal: 500,
}

/** Sentences for what Fastify and Node refuse before a route sees it. */
const REFUSALS: Readonly<Record<string, readonly [status: number, code: string, message: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'BODY_TOO_LARGE', 'The body of the request is larger than this gateway accepts.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'MEDIA_TYPE_UNSUPPORTED', 'Send the body as application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, 'LENGTH_INVALID', 'The body is not as long as Content-Length says.'],
  FST_ERR_CTP_INVALID_JSON_BODY: [400, 'JSON_INVALID', 'The body is not valid JSON.'],
  FST_ERR_BAD_URL: [400, 'URL_INVALID', 'The path of the request is not a valid URL.'],
  FST_ERR_MAX_PARAM_LENGTH: [414, 'URL_TOO_LONG', 'A part of the path is too long.'],
}

const INTERNAL: Failure = Object.freeze({
  status: 500,
  kind: 'internal',
  code: 'INTERNAL_ERROR',
  message: 'Something went wrong inside the gateway. The log says what, under the id of this request.',
})

/** What to tell about a thrown value. Nothing of an unexpected one is shown. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof GatewayError) return ofGateway(error)
  if (!(error instanceof Error)) return INTERNAL
  const code = textOf(error, 'code')
  if (code === 'FST_ERR_VALIDATION') return ofValidation(error)
  if (code !== undefined) {
    const refusal = REFUSALS[code]
    if (refusal !== undefined) return { status: refusal[0], kind: 'invalid', code: refusal[1], message: refusal[2] }
    if (code.startsWith('SQLITE_')) return ofSqlite(code)
  }
  return ofStatus(error)
}

function ofGateway(error: GatewayError): Failure {
  const { kind, code } = error
  if (kind === 'internal') return { ...INTERNAL, code }
  return {
    status: STATUS[kind],
    kind,
    code,
    message: error.message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
  }
}

function ofSqlite(code: string): Failure {
  if (/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY|ROWID)$/.test(code)) {
    return {
      status: 409,
      kind: 'conflict',
      code: 'ALREADY_EXISTS',
      message: 'Something with this name or id exists already.',
    }
  }
  if (code.startsWith('SQLITE_CONSTRAINT')) {
    return {
      status: 422,
      kind: 'invalid',
      code: 'CONSTRAINT_VIOLATED',
      message: 'The values do not fit what is stored already.',
    }
  }
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return {
      status: 503,
      kind: 'unavailable',
      code: 'DATABASE_BUSY',
      message: 'The database is busy.',
      retryAfterMs: 1000,
    }
  }
  return INTERNAL
}

/** Fastify's own client errors carry a status; its sentences may quote the request, so ours is shown. */
function ofStatus(error: Error): Failure {
  const status = Reflect.get(error, 'statusCode')
  if (typeof status !== 'number' || status < 400 || status >= 500) return INTERNAL
  if (error instanceof SyntaxError)
    return { status: 400, kind: 'invalid', code: 'JSON_INVALID', message: 'The body is not valid JSON.' }
  return { status, kind: 'invalid', code: 'REQUEST_INVALID', message: 'The request could not be read.' }
}

function ofValidation(error: Error): Failure {
  const part = textOf(error, 'validationContext') ?? 'body'
  const found: unknown = Reflect.get(error, 'validation')
  const fields = (Array.isArray(found) ? found : []).map((issue: unknown) => fieldOf(issue))
  return {
    status: 400,
    kind: 'invalid',
    code: 'VALIDATION_FAILED',
    message: `The ${part} of the request does not have the expected form.`,
    fields,
  }
}

function fieldOf(issue: unknown): FieldFailure {
  if (typeof issue !== 'object' || issue === null) return { path: '', message: 'is not valid' }
  return { path: textOf(issue, 'instancePath') ?? '', message: textOf(issue, 'message') ?? 'is not valid' }
}

function textOf(holder: object, key: string): string | undefined {
  const value: unknown = Reflect.get(holder, key)
  return typeof value === 'string' ? value : undefined
}
