// Entries as AI clients write them: what is taken, what is refused with a sentence, what is only noted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configuredOf, type Configured } from '../../../src/upstream/configured.ts'
import type { Target } from '../../../src/lib/link.ts'
import type { SourceSpec } from '../../../src/upstream/spec.ts'
import { type Given, ownerOf } from './owner.ts'

const timeout = 20_000

const read = (entries: Record<string, unknown>, given?: Given): Configured =>
  configuredOf(new Map(Object.entries(entries)), ownerOf('/data', given))

function only(raw: object, given?: Given): SourceSpec {
  const { specs, problems } = read({ one: raw }, given)
  assert.deepEqual(problems, [])
  const [spec] = specs
  assert.ok(spec)
  return spec
}

const refusal = (raw: unknown, given?: Given): string | undefined => read({ one: raw }, given).problems[0]?.message

test('a child process, with everything that can be said of it', { timeout }, () => {
  const spec = only(
    {
      type: 'stdio',
      title: 'One',
      command: 'npx',
      args: ['-y', 'pkg', '${HOME}/x', '$${literal}', '${NONE:-fallback}'],
      env: { TOKEN: '${env:SOME_TOKEN}', LEVEL: 3, ON: true },
      cwd: 'work',
      disabledTools: ['drop'],
      deny: ['wipe'],
      includeTools: ['look', 'drop'],
      reads: ['look'],
      timeout: 90,
      toolTimeouts: { slow: 120_000 },
      idle: 0,
      isolation: 'client',
      roots: ['file:///home/me'],
    },
    { environment: { HOME: '/home/me', SOME_TOKEN: 't-1' } },
  )
  const { fingerprint, ...rest } = spec
  assert.match(fingerprint, /^[\w-]{43}$/)
  assert.deepEqual(rest, {
    id: 'one',
    title: 'One',
    target: {
      kind: 'stdio',
      command: 'npx',
      args: ['-y', 'pkg', '/home/me/x', '${literal}', 'fallback'],
      env: { TOKEN: 't-1', LEVEL: '3', ON: 'true' },
      cwd: '/data/work',
    },
    origin: 'file',
    enabled: true,
    allow: ['look', 'drop'],
    deny: ['wipe', 'drop'],
    reads: ['look'],
    isolation: 'client',
    roots: ['file:///home/me'],
    timeoutMs: 90_000,
    toolTimeoutsMs: { slow: 120_000 },
    idleMs: 0,
  })
})

test('a URL in the spellings of several clients', { timeout }, () => {
  const rows: readonly (readonly [object, Target])[] = [
    [{ url: 'https://a.example/mcp' }, { kind: 'http', url: 'https://a.example/mcp', headers: {} }],
    [{ serverUrl: 'https://a.example' }, { kind: 'http', url: 'https://a.example/', headers: {} }],
    [
      { httpUrl: 'https://a.example/x', type: 'http' },
      { kind: 'http', url: 'https://a.example/x', headers: {} },
    ],
    [
      { url: 'https://a.example/s', type: 'sse' },
      { kind: 'sse', url: 'https://a.example/s', headers: {} },
    ],
    [
      { url: 'https://${HOST}/', transport: 'streamable-http', headers: { Authorization: 'Bearer ${secret:one/T}' } },
      { kind: 'http', url: 'https://b.example/', headers: { Authorization: 'Bearer s-1' } },
    ],
  ]
  const given = { environment: { HOST: 'b.example' }, secrets: new Map([['upstream/one/T', 's-1']]) }
  for (const [raw, target] of rows) assert.deepEqual(only(raw, given).target, target)
})

test('what cannot be served is one sentence that names entry and member, never a value', { timeout }, () => {
  const rows: readonly (readonly [unknown, RegExp])[] = [
    ['x', /^one must be an object$/],
    [{}, /^one has neither command nor url$/],
    [{ command: 'a', url: 'https://a.example' }, /^one has both command and url/],
    [{ command: 7 }, /^one command must be a text, not a number$/],
    [{ command: ' ' }, /^one command is empty$/],
    [{ command: 'a\nb' }, /^one command has more than one line$/],
    [{ command: 'a', args: 'b' }, /^one args must be a list of texts, not a text$/],
    [{ command: 'a', args: ['b', 1] }, /^one args\[1\] must be a text, not a number$/],
    [{ command: 'a', args: ['hunter2\0'] }, /^one args\[0\] holds a NUL character$/],
    [{ command: 'a', env: ['x'] }, /^one env must be an object of texts, not a list$/],
    [{ command: 'a', env: { 'A=B': 'x' } }, /^one env has a member that is no name of a variable$/],
    [{ command: 'a', env: { A: null } }, /^one env\.A must be a text, not null$/],
    [{ command: 'a', env: { A: '${MISSING}' } }, /^one env\.A needs the variable MISSING, which is not set$/],
    [{ command: 'a', env: { A: '${secret:one/A}' } }, /^one env\.A needs the secret one\/A, which is not stored$/],
    [{ command: 'a', env: { A: '${input:token}' } }, /^one env\.A holds \$\{input:token\}, which is not known here$/],
    [{ command: 'a', env: { A: '${CROW_KEY}' } }, /^one env\.A asks for CROW_KEY, which is a secret of Crow itself$/],
    [{ command: 'a', disabled: 'yes' }, /^one disabled must be true or false, not a text$/],
    [{ command: 'a', timeout: '5' }, /^one timeout must be a number above 0, not a text$/],
    [{ command: 'a', timeout: 1e9 }, /^one timeout is more than 3600 seconds$/],
    [{ command: 'a', idle: -1 }, /^one idle must be seconds from 0/],
    [{ command: 'a', allow: [], includeTools: ['x'] }, /^one has both allow and includeTools: keep one of them$/],
    [{ command: 'a', isolation: 'user' }, /^one isolation must be shared or client$/],
    [{ command: 'a', roots: ['/home'] }, /^one roots\[0\] must be a file: URI$/],
    [{ command: 'a', type: 'http' }, /^one type must be stdio or local$/],
    [{ url: 'nowhere' }, /^one url is not a URL$/],
    [{ url: 'https://a.example', headers: { 'a b': 'x' } }, /^one headers has a member that is no name of a header$/],
    [{ url: 'https://a.example', headers: { A: 'hunter2\r\nB: c' } }, /^one headers\.A holds a character/],
    [{ url: 'https://a.example', headers: { Host: 'x' } }, /^one headers\.Host is written by Crow itself$/],
  ]
  for (const [raw, sentence] of rows) {
    const message = refusal(raw, { environment: { CROW_KEY: 'hunter2' } })
    assert.match(message ?? 'nothing', sentence)
    assert.doesNotMatch(message ?? '', /hunter2/)
  }
})

test('of what is switched off nothing is missing', { timeout }, () => {
  const spec = only({ command: 'a', env: { A: '${MISSING}' }, disabled: true })
  assert.equal(spec.enabled, false)
  assert.equal(only({ command: 'a', enabled: false, disabled: false }).enabled, false)
})

test('unknown members are noted with what was meant, and serve all the same', { timeout }, () => {
  const { specs, notes } = read({ one: { command: 'a', agrs: [], zzz: 1, alwaysAllow: ['x'] } })
  assert.equal(specs.length, 1)
  assert.deepEqual(
    notes.map(({ message }) => message),
    [
      'one: alwaysAllow has no effect here',
      'one: agrs is kept, and has no effect; did you mean args?',
      'one: zzz is kept, and has no effect',
    ],
  )
})

test('a secret among the arguments is told of, because everybody sees them', { timeout }, () => {
  const { notes } = read(
    { one: { command: 'a', args: ['--key', '${secret:one/K}'] } },
    { secrets: new Map([['upstream/one/K', 'k']]) },
  )
  assert.match(notes[0]?.message ?? '', /args\[1\] holds a secret, which every user of this machine can read/)
})

test('ids that are reserved, not ids, or look like another are refused', { timeout }, () => {
  const command = 'a'
  const ids = ['crow', 'tools', 'memory', 'research', 'instance-2', 'GitHub', 'gіthub', 'a_b', '', '9a', 'a'.repeat(32)]
  const { specs, problems } = read(Object.fromEntries(ids.map((id) => [id, { command }])))
  assert.deepEqual(specs, [])
  assert.equal(problems.length, ids.length)
  assert.match(problems.map(({ message }) => message).join('\n'), /GitHub is no id: .*; github would be one/)
  const hidden = JSON.parse('{"__proto__": {"command": "a"}, "ok": {"command": "a"}}')
  assert.deepEqual(
    read(hidden).specs.map(({ id }) => id),
    ['ok'],
  )
})

const fingerprint = (raw: object, secret = 's'): string =>
  only(raw, { secrets: new Map([['upstream/one/T', secret]]) }).fingerprint

test('a fingerprint follows every member and every value, and nothing else', { timeout }, () => {
  const raw = { command: 'a', env: { T: '${secret:one/T}' } }
  assert.equal(fingerprint(raw), fingerprint({ env: { T: '${secret:one/T}' }, command: 'a' }))
  assert.notEqual(fingerprint(raw), fingerprint(raw, 'other'))
  for (const more of [{ deny: ['x'] }, { idle: 1 }, { args: ['x'] }, { disabled: true }, { cwd: '/x' }])
    assert.notEqual(fingerprint(raw), fingerprint({ ...raw, ...more }))
})
