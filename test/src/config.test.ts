// What the environment may say, and what is said back when it is wrong.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainConfig, loadConfig } from '../../src/config.ts'
import { settings } from '../../src/config/read.ts'
import { ConfigError } from '../../src/errors.ts'

const timeout = 10_000
const home = { HOME: '/home/ana' }
const open = { CROW_GATEWAY_BIND: '0.0.0.0', CROW_GATEWAY_URL: 'https://crow.example' }

function problemsOf(env: Record<string, string>, overrides = {}): readonly string[] {
  try {
    loadConfig({ ...home, ...env }, overrides)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
  return []
}

test('an empty environment gives a gateway that only this machine can reach', { timeout }, () => {
  const config = loadConfig(home)
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.port, 3001)
  assert.equal(config.publicUrl, null)
  assert.equal(config.noAuth, false)
  assert.equal(config.eras, 'both')
  assert.deepEqual(config.limits, { strangerMax: 200, strangerWindowMs: 900_000, principalPerMinute: 6000 })
  assert.equal(config.bodyBytesMax, 4 * 1024 * 1024)
  assert.deepEqual(config.warnings, [])
})

test('a tilde means the home folder wherever a path is set', { timeout }, () => {
  const { databasePath } = loadConfig({ ...home, CROW_DB_PATH: '~/notes/crow.db' })
  assert.equal(databasePath, '/home/ana/notes/crow.db')
  assert.equal(loadConfig({ ...home, CROW_DATA_DIR: '~/data' }).databasePath, '/home/ana/data/crow.db')
  assert.equal(loadConfig({ ...home, CROW_HOME: '~' }).databasePath, '/home/ana/data/crow.db')
  assert.equal(loadConfig({ HOME: '/home/$&', CROW_DB_PATH: '~/crow.db' }).databasePath, '/home/$&/crow.db')
})

test('the configuration cannot be changed after it was read', { timeout }, () => {
  const config = loadConfig({ ...home, CORS_ALLOWED_ORIGINS: 'https://a.example' })
  for (const part of [
    config,
    config.limits,
    config.sessions,
    config.allowedOrigins,
    config.allowedHosts,
    config.warnings,
  ]) {
    assert.ok(Object.isFrozen(part))
  }
})

test('all problems are reported at once, each in one sentence that names its setting', { timeout }, () => {
  const problems = problemsOf({
    PORT: 'three',
    CROW_ERAS: '2027',
    CROW_TZ: 'Mars/Olympus',
    CROW_TRUSTED_PROXIES: '1',
    CORS_ALLOWED_ORIGINS: '*',
    CROW_EMBED_PROVIDER: 'openai',
    CROW_GATEWAY_URL: 'ftp://x',
    CROW_NO_AUTH: 'maybe',
    CROW_LIMIT_STRANGER: '0',
  })
  for (const name of [
    'PORT',
    'CROW_ERAS',
    'CROW_TZ',
    'CROW_TRUSTED_PROXIES',
    'CORS_ALLOWED_ORIGINS',
    'CROW_EMBED_URL',
    'CROW_EMBED_MODEL',
    'CROW_GATEWAY_URL',
    'CROW_NO_AUTH',
    'CROW_LIMIT_STRANGER',
  ]) {
    assert.ok(
      problems.some((problem) => problem.includes(name)),
      name,
    )
  }
  for (const problem of problems) assert.match(problem, /^[^\n]+\.$/)
})

test('a flag wins over its variable, and its problems carry its own name', { timeout }, () => {
  const config = loadConfig({ ...home, PORT: '1', CROW_DATA_DIR: '/a' }, { port: 2, dataDir: '/b', host: '127.0.0.2' })
  assert.deepEqual([config.port, config.dataDir, config.host], [2, '/b', '127.0.0.2'])
  assert.match(
    problemsOf({}, { port: '70000' }).join(),
    /^--port must be a whole number from 0 to 65535, not "70000"\.$/,
  )
})

test('PORT wins over CROW_GATEWAY_PORT', { timeout }, () => {
  assert.equal(loadConfig({ ...home, PORT: '5', CROW_GATEWAY_PORT: '6' }).port, 5)
  assert.equal(loadConfig({ ...home, CROW_GATEWAY_PORT: '6' }).port, 6)
})

test(
  'a word of a list is taken in any case and with space around it, and printed as it is understood',
  { timeout },
  () => {
    const env = {
      ...home,
      CROW_ERAS: ' 2026 ',
      CROW_CONFIRM: 'TOKEN',
      CROW_LOG_LEVEL: 'Warn\t',
      CROW_EMBED_PROVIDER: ' Ollama',
      CROW_EMBED_MODEL: 'm',
      CROW_NO_AUTH: ' FALSE ',
    }
    const config = loadConfig(env)
    assert.deepEqual(
      [config.eras, config.confirm, config.logLevel, config.embeddings?.provider, config.noAuth],
      ['2026', 'token', 'warn', 'ollama', false],
    )
    assert.equal(loadConfig({ ...home, CROW_ERAS: 'BOTH' }).eras, 'both')
    const printed = new Map<string, string>(explainConfig(env).map(({ name, value }) => [name, value]))
    assert.deepEqual(
      ['CROW_ERAS', 'CROW_CONFIRM', 'CROW_LOG_LEVEL', 'CROW_EMBED_PROVIDER', 'CROW_NO_AUTH'].map((name) =>
        printed.get(name),
      ),
      ['2026', 'token', 'warn', 'ollama', '0'],
    )
  },
)

test('every setting that takes one of several words refuses another one in one sentence', { timeout }, () => {
  const choices = settings.filter(({ form }) => / or /.test(form))
  assert.ok(choices.length >= 6)
  for (const { name, form } of choices)
    assert.deepEqual(problemsOf({ [name]: 'neither' }), [`${name} must be ${form}, not "neither".`])
})

test('only words for a desk are not production, in any case and with space around them', { timeout }, () => {
  for (const word of ['production', 'Production', ' PRODUCTION ', 'production\n', 'prod', 'staging', 'produktion'])
    assert.match(
      problemsOf({ NODE_ENV: word }, { noAuth: true }).join(),
      /^--no-auth is not possible with NODE_ENV=/,
      word,
    )
  for (const word of ['', ' ', 'development', 'Development', 'dev', 'test', ' LOCAL '])
    assert.deepEqual(problemsOf({ NODE_ENV: word }, { noAuth: true }), [], word)
  assert.equal(loadConfig({ ...home, NODE_ENV: 'Production' }).production, true)
})

test('an empty variable is an unset one', { timeout }, () => {
  assert.equal(loadConfig({ ...home, PORT: '', CROW_TZ: ' ', CROW_GATEWAY_URL: '' }).port, 3001)
})

test('a gateway without tokens must be out of reach', { timeout }, () => {
  assert.equal(loadConfig(home, { noAuth: true }).noAuth, true)
  assert.match(
    problemsOf({ CROW_GATEWAY_BIND: '0.0.0.0' }, { noAuth: true }).join('\n'),
    /^--no-auth .*loopback.*0\.0\.0\.0/m,
  )
  assert.match(
    problemsOf({ CROW_GATEWAY_BIND: '192.168.1.4', CROW_NO_AUTH: '1' }).join('\n'),
    /^CROW_NO_AUTH .*loopback/m,
  )
  assert.match(problemsOf({ NODE_ENV: 'production' }, { noAuth: true }).join(), /production/)
  assert.match(problemsOf({ CROW_GATEWAY_URL: 'https://crow.example' }, { noAuth: true }).join(), /public address/)
  for (const host of ['::1', 'localhost', '127.0.0.9']) assert.deepEqual(problemsOf({}, { noAuth: true, host }), [])
})

test('a gateway that other machines can reach has to know the address they use', { timeout }, () => {
  for (const host of ['0.0.0.0', '::', '192.168.1.4', 'crow.local', '::ffff:127.0.0.1'])
    assert.match(problemsOf({}, { host }).join(), /^--host .*CROW_GATEWAY_URL/, host)
  assert.match(problemsOf({ CROW_GATEWAY_BIND: '192.168.1.4' }).join(), /such as .* http:\/\/192\.168\.1\.4:3001/)
  assert.deepEqual(problemsOf(open), [])
  for (const host of ['127.0.0.1', '::1', 'localhost']) assert.deepEqual(problemsOf({}, { host }), [])
})

test('every way to be reached forbids --no-auth by itself', { timeout }, () => {
  const ways = [
    [{ CROW_GATEWAY_URL: 'https://crow.example' }, /public address/],
    [{ NODE_ENV: 'production' }, /production/],
    [{ CROW_GATEWAY_BIND: '::' }, /loopback/],
  ] as const
  for (const [env, why] of ways) assert.match(problemsOf(env, { noAuth: true }).join('\n'), why)
  assert.equal(problemsOf({ ...open, NODE_ENV: 'production' }, { noAuth: true }).length, 3)
})

test('a set-up token that can be guessed is refused and not repeated', { timeout }, () => {
  for (const token of ['letmein', 'correct-horse-battery', 'a'.repeat(64), '0101010101010101010101010101']) {
    const [problem = ''] = problemsOf({ CROW_SETUP_TOKEN: token })
    assert.match(problem, /^CROW_SETUP_TOKEN is too weak/, token)
    assert.ok(!problem.includes(token))
  }
  assert.deepEqual(problemsOf({ CROW_SETUP_TOKEN: '9f86d081884c7d659a2feaa0c55ad015' }), [])
})

const warningsOf = (url: string) => loadConfig({ ...home, CROW_GATEWAY_URL: url }).warnings

test('a public address in clear text is warned of, unless it does not leave this machine', { timeout }, () => {
  assert.match(warningsOf('http://crow.example').join(), /plain http/)
  for (const url of ['https://crow.example', 'http://localhost:3001', 'http://127.0.0.1:3001'])
    assert.deepEqual(warningsOf(url), [], url)
})

test('a misspelt name of ours is answered with the name that was meant', { timeout }, () => {
  const { warnings } = loadConfig({ ...home, CROW_GATEWY_URL: 'x', CROW_ZZZZZZZZ: '1', PATH: '/bin' })
  assert.equal(warnings.length, 1)
  assert.match(warnings[0] ?? '', /CROW_GATEWY_URL \(did you mean CROW_GATEWAY_URL\?\)/)
  assert.match(warnings[0] ?? '', /CROW_ZZZZZZZZ[,.]/)
})

test('a public address gives its host, its origin and its path', { timeout }, () => {
  const config = loadConfig({ ...home, CROW_GATEWAY_URL: 'https://Crow.Example:8443/deep/er/' })
  assert.equal(config.basePath, '/deep/er')
  assert.ok(config.allowedHosts.includes('crow.example'))
  assert.ok(config.allowedOrigins.includes('https://crow.example:8443'))
  for (const bad of [
    'https://u:p@crow.example',
    'https://crow.example/?a=1',
    'https://crow.example/#x',
    'crow.example',
  ]) {
    assert.equal(problemsOf({ CROW_GATEWAY_URL: bad }).length, 1, bad)
  }
})

test('listed origins are origins, never a wildcard, a path or null', { timeout }, () => {
  const { allowedOrigins } = loadConfig({
    ...home,
    CORS_ALLOWED_ORIGINS: 'https://App.example/, http://x.example:80 app://obsidian.md',
  })
  assert.deepEqual(allowedOrigins, ['https://app.example', 'http://x.example', 'app://obsidian.md'])
  for (const bad of ['*', 'null', 'https://a.example/b', 'a.example', 'https://u@a.example', 'https://*.example']) {
    assert.equal(problemsOf({ CORS_ALLOWED_ORIGINS: bad }).length, 1, bad)
  }
})

test('proxies are named by address or range, never by how many there are', { timeout }, () => {
  assert.deepEqual(loadConfig({ ...home, CROW_TRUSTED_PROXIES: '10.0.0.0/8,::1, 192.168.1.1' }).trustedProxies, [
    '10.0.0.0/8',
    '::1',
    '192.168.1.1',
  ])
  for (const bad of [
    '0.0.0.0/0',
    '::/0',
    '1',
    'true',
    '10.0.0.0/33',
    '::/129',
    'proxy.example',
    '10.0.0.0/8/8',
    'loopback',
  ]) {
    assert.equal(problemsOf({ CROW_TRUSTED_PROXIES: bad }).length, 1, bad)
  }
})

test('loopback pages may call only a gateway that is bound to loopback', { timeout }, () => {
  assert.equal(loadConfig(home).loopbackOrigins, true)
  assert.equal(loadConfig({ ...home, ...open }).loopbackOrigins, false)
})

test('confirmation can be switched off by either name, not by two that disagree', { timeout }, () => {
  assert.equal(loadConfig(home).confirm, 'elicit')
  assert.equal(loadConfig({ ...home, CROW_CONFIRM: 'token' }).confirm, 'token')
  assert.equal(loadConfig({ ...home, CROW_SKIP_CONFIRM_GATES: '1' }).confirm, 'off')
  assert.equal(loadConfig({ ...home, CROW_SKIP_CONFIRM_GATES: '1', CROW_CONFIRM: 'off' }).confirm, 'off')
  assert.equal(loadConfig({ ...home, CROW_SKIP_CONFIRM_GATES: '1', CROW_CONFIRM: ' ' }).confirm, 'off')
  assert.match(problemsOf({ CROW_SKIP_CONFIRM_GATES: '1', CROW_CONFIRM: 'elicit' }).join(), /contradicts/)
})

test('embeddings are off until a provider is named, and ollama is looked for on this machine', { timeout }, () => {
  assert.equal(loadConfig({ ...home, CROW_EMBED_MODEL: 'm', CROW_EMBED_API_KEY: 'k' }).embeddings, null)
  assert.deepEqual(loadConfig({ ...home, CROW_EMBED_PROVIDER: 'ollama', CROW_EMBED_MODEL: 'm' }).embeddings, {
    provider: 'ollama',
    url: 'http://127.0.0.1:11434',
    model: 'm',
    timeoutMs: 10_000,
  })
})

test('the effective settings can be printed without their secrets', { timeout }, () => {
  const env = { ...home, CROW_EMBED_API_KEY: 'sentinel-key', CROW_TZ: 'Europe/Madrid' }
  const lines = explainConfig(env, { port: 4000 })
  for (const expected of [
    { name: 'PORT', value: '4000', from: 'flag' },
    { name: 'CROW_TZ', value: 'Europe/Madrid', from: 'environment' },
  ])
    assert.deepEqual(
      lines.find(({ name }) => name === expected.name),
      expected,
    )
  assert.equal(lines.find(({ name }) => name === 'CROW_ERAS')?.from, 'default')
  assert.doesNotMatch(JSON.stringify(lines), /sentinel-key/)
  assert.doesNotMatch(problemsOf({ CROW_EMBED_API_KEY: `sentinel-key${'x'.repeat(5000)}` }).join(), /sentinel/)
})
