// The key the authorization server signs with: made once, sealed in the database, the same for every process on it.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { JWKS } from 'oidc-provider'
import { GatewayError } from '../../src/errors.ts'
import { isRecord } from '../../src/lib/json.ts'
import type { SecretStore } from '../../src/secrets/store.ts'

const NAME = 'oauth/jwks'

export async function signingKeys(secrets: SecretStore): Promise<JWKS> {
  const parsed: unknown = JSON.parse(await secrets.readOrMake(NAME, freshKeys))
  if (!isRecord(parsed) || !Array.isArray(parsed['keys']))
    throw new GatewayError('internal', 'SECRET_BROKEN', `The secret ${NAME} does not hold keys.`)
  return { keys: parsed['keys'].filter(isRecord).map((key) => ({ kty: 'EC', ...key })) }
}

function freshKeys(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ format: 'jwk' })
  return JSON.stringify({ keys: [{ ...key, alg: 'ES256', use: 'sig', kid: randomBytes(8).toString('base64url') }] })
}
