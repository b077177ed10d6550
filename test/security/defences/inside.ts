// Behind the doors: scopes, searches, secrets at rest, and what does not start at all.
import { inFile } from './defence.ts'

const READER = 'who may only read cannot write or destroy, on any way to a tool'
const SECRETS = 'of five secrets none can be read in the log, in errors, in the trail or in any file'
const OPEN = 'without tokens it starts on this machine only, with no public address and not in production'
const KEYS = 'a weak key, an exposed key file and a set-up token that can be guessed are refused'

export const memory = inFile('memory', [
  {
    attack: '35 a reader writes',
    file: 'src/runtime/steps/permit.ts',
    text: "return tool.effect === 'read' || (level === 'write' && tool.effect !== 'destroy')",
    without: 'return true',
    test: READER,
  },
  {
    attack: '35 a stranger to the server reads',
    file: 'src/runtime/steps/permit.ts',
    text: "return scopes.has(guarded.readScope) ? 'read' : 'none'",
    without: "return 'read'",
    test: READER,
  },
  {
    attack: '36 query syntax in a search',
    file: 'src/search/candidates.ts',
    text: '`"${form.replaceAll(\'"\', \'""\')}"`',
    without: 'form',
    test: 'query syntax in any field of any tool is text, and the memory is whole afterwards',
  },
])

export const secrets = inFile('secrets', [
  {
    attack: '37 a token in a message of the log',
    file: 'src/lib/log.ts',
    text: 'const text = maskSecrets(JSON.stringify(line))',
    without: 'const text = JSON.stringify(line)',
    test: SECRETS,
  },
  {
    attack: '37 a token in the database',
    file: 'src/oauth/store/conceal.ts',
    text: 'isBearer(model) ? digestOf(id) : id',
    without: 'id',
    test: SECRETS,
  },
  {
    attack: '37 the second factor in the database',
    file: 'src/operator/second-factor.ts',
    text: 'vault.seal(enrolment.secret, TOTP_PURPOSE)',
    without: 'enrolment.secret',
    test: SECRETS,
  },
])

export const start = inFile('start', [
  {
    attack: '38 no tokens on an open address',
    file: 'src/config/derive.ts',
    text: 'if (!isLoopback(config.host)) problems.push',
    without: "if (config.host === '') problems.push",
    test: OPEN,
  },
  {
    attack: '38 no tokens with a public address',
    file: 'src/config/derive.ts',
    text: 'if (config.publicUrl !== null) problems.push',
    without: 'if (config.publicUrl === undefined) problems.push',
    test: OPEN,
  },
  {
    attack: '38 no tokens in production',
    file: 'src/config/derive.ts',
    text: 'if (config.production) problems.push',
    without: "if (config.host === '') problems.push",
    test: OPEN,
  },
  {
    attack: '38 an open bind without an address',
    file: 'src/config/derive.ts',
    text: 'if (isLoopback(host) || publicUrl !== null) return []',
    without: "if (host !== '') return []",
    test: 'it does not listen to other machines without knowing the address they use',
  },
  {
    attack: '38 a key file that others can read',
    file: 'src/secrets/key-ring.ts',
    text: '(stat.mode & 0o077) !== 0',
    without: '(stat.mode & 0o000) !== 0',
    test: KEYS,
  },
  {
    attack: '38 a key that is no accident',
    file: 'src/secrets/key.ts',
    text: 'const DISTINCT_BYTES_MIN = 16',
    without: 'const DISTINCT_BYTES_MIN = 0',
    test: KEYS,
  },
  {
    attack: '38 a set-up token that can be guessed',
    file: 'src/config/derive.ts',
    text: 'if (token === undefined) return []',
    without: "if (token !== '') return []",
    test: KEYS,
  },
  {
    attack: '38 a password that can be guessed',
    file: 'src/operator/password.ts',
    text: "if (weakness !== undefined) throw new DomainError('invalid', 'PASSWORD_WEAK', weakness)",
    without: '',
    test: 'there is no password before one is set, and a weak one is not taken',
  },
])
