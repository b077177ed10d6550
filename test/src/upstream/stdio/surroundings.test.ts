// What a child is given: enough to run, and no secret of the gateway.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { environment } from '../../../../src/config/process-environment.ts'
import { childEnvironment } from '../../../../src/config/child-environment.ts'
import { callText, opened, opening } from '../../../fixtures/upstream/opened.ts'

const timeout = 30_000

test(
  'no variable of the gateway reaches a child, but those it needs and those that were declared',
  { timeout },
  async (t) => {
    const canaries = {
      CROW_SECRET_KEY: 'crow-canary',
      GITHUB_TOKEN: 'ghp_canary',
      AWS_SECRET: 'x-canary',
      NODE_OPTIONS: '',
    }
    Object.assign(process.env, canaries, { LC_TIME: 'de_DE.UTF-8', https_proxy: 'http://proxy.example:3128' })
    t.after(() => {
      for (const name of [...Object.keys(canaries), 'LC_TIME', 'https_proxy']) delete process.env[name]
    })
    const base = childEnvironment(environment(), process.platform)
    const { entries } = await opened(t, {}, { era: '2025', env: { DECLARED: 'yes', LANG: 'fr' }, settings: { base } })
    const [start] = entries('start')
    const seen = new Map(Object.entries(start?.['env'] ?? {}))
    assert.equal(JSON.stringify([...seen]).includes('canary'), false)
    assert.deepEqual(
      [...seen.keys()].filter((name) => name.startsWith('CROW_')),
      [],
    )
    assert.equal(seen.get('DECLARED'), 'yes')
    assert.equal(seen.get('LANG'), 'fr')
    assert.equal(seen.get('LC_TIME'), 'de_DE.UTF-8')
    assert.equal(seen.get('https_proxy'), 'http://proxy.example:3128')
    assert.equal(seen.get('PATH'), process.env['PATH'])
    const allowed = new Set([...Object.keys(base), 'DECLARED', 'LANG'])
    assert.deepEqual(
      [...seen.keys()].filter((name) => !allowed.has(name)),
      [],
    )
  },
)

test('a declared secret that a server prints is not repeated in its failure', { timeout }, async (t) => {
  const secret = 'sk-very-secret-value'
  const script = { exit: { code: 2, stderr: `bad key ${secret}, sorry` } }
  const { link, noted } = opening(t, script, { era: '2025', env: { API_KEY: secret } })
  await assert.rejects(link, (error) => {
    assert.deepEqual(error instanceof Error && 'end' in error ? error.end : undefined, {
      reason: 'It ended with exit code 2.',
      wanted: false,
      exitCode: 2,
      signal: null,
      stderr: ['bad key [masked], sorry'],
    })
    return true
  })
  const noisy = await opened(t, {}, { era: '2025', env: { API_KEY: secret } })
  await callText(noisy.link, 'raw', { line: `using key ${secret}` })
  assert.deepEqual(noisy.noted[0]?.detail, { why: 'is no message', line: 'using key [masked]' })
  assert.equal(JSON.stringify(noted).includes(secret), false)
})
