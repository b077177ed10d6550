// Seals secrets at rest with AES-256-GCM (NIST SP 800-38D), so that a copy of the database alone gives none of them away.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { GatewayError } from '../errors.ts'
import { deriveFrom, type Key } from './key.ts'
import { openKeyRing, type KeyPlace, type KeyRing } from './key-ring.ts'

const SEAL_VERSION = 'v1'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const ALGORITHM = 'aes-256-gcm'

export interface Vault {
  /**
   * Call it inside the write that stores the text: a rotation of the key then finds it, or comes before it.
   * @param purpose what the secret is and whose, such as `secret/oauth/jwks`; it does not open under another one
   * @returns `v1.<key id>.<nonce, ciphertext and tag>`, base64url
   */
  seal(plain: string, purpose: string): string
  /** @throws GatewayError SECRET_UNREADABLE where key, purpose or text do not fit */
  open(sealed: string, purpose: string): string
  /** 32 bytes for one purpose, the same until the key is rotated. */
  derive(purpose: string): Buffer
  readonly ring: KeyRing
}

/** @throws DomainError KEY_INVALID, KEY_EXPOSED; GatewayError KEY_UNREADABLE */
export function openVault(place: KeyPlace): Vault {
  return vaultOf(openKeyRing(place))
}

export function vaultOf(ring: KeyRing): Vault {
  return {
    ring,
    // Looked at anew: another process may have rotated the key, and the old one then opens nothing much longer.
    seal: (plain, purpose) => sealWith(ring.keys('again')[0], plain, purpose),
    derive: (purpose) => deriveFrom(ring.keys()[0].bytes, `derived/${purpose}`),
    open(sealed, purpose) {
      const [version, id, text] = sealed.split('.')
      if (version !== SEAL_VERSION || id === undefined || text === undefined) throw unreadable(purpose)
      const has = (key: Key): boolean => key.id === id
      const key = ring.keys().find(has) ?? ring.keys('again').find(has)
      if (key === undefined) throw unreadable(purpose)
      return openWith(key, Buffer.from(text, 'base64url'), purpose)
    },
  }
}

/** The id of the key that sealed a text. */
export function sealedBy(sealed: string): string | undefined {
  return sealed.split('.')[1]
}

function sealWith(key: Key, plain: string, purpose: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, deriveFrom(key.bytes, 'sealing'), nonce)
  cipher.setAAD(Buffer.from(`${SEAL_VERSION}.${key.id}.${purpose}`))
  const text = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${SEAL_VERSION}.${key.id}.${text.toString('base64url')}`
}

function openWith(key: Key, text: Buffer, purpose: string): string {
  if (text.length < NONCE_BYTES + TAG_BYTES) throw unreadable(purpose)
  const nonce = text.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(ALGORITHM, deriveFrom(key.bytes, 'sealing'), nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(`${SEAL_VERSION}.${key.id}.${purpose}`))
  decipher.setAuthTag(text.subarray(-TAG_BYTES))
  try {
    return decipher.update(text.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  } catch (error) {
    throw unreadable(purpose, error)
  }
}

function unreadable(purpose: string, cause?: unknown): GatewayError {
  return new GatewayError('unavailable', 'SECRET_UNREADABLE', `The secret ${purpose} cannot be opened with this key.`, {
    hint: 'Bring back the key it was sealed with (crow.key, or CROW_KEY), or set it anew.',
    ...(cause === undefined ? {} : { cause }),
  })
}
