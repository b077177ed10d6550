// The integrations: each can be started from its variables, and none runs a package that nobody vouches for unasked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configuredOf, type Configured } from '../../../src/upstream/configured.ts'
import { integrationOf, integrations } from '../../../src/upstream/integrations.ts'
import { whyNoId } from '../../../src/upstream/source-id.ts'
import { type Given, ownerOf } from './owner.ts'

const timeout = 20_000

const read = (entries: Record<string, unknown>, given?: Given): Configured =>
  configuredOf(new Map(Object.entries(entries)), ownerOf('/data', given))

const valuesFor = (variables: readonly string[]): Record<string, string> =>
  Object.fromEntries(variables.map((name) => [name, `value of ${name} "$\{X}`]))

test('every integration is whole, and is configured by its variables', { timeout }, () => {
  assert.equal(new Set(integrations.map(({ id }) => id)).size, integrations.length)
  for (const { id, variables, command, url, keyUrl, docsUrl, keyInstructions, requires } of integrations) {
    assert.equal(whyNoId(id, []), undefined, id)
    assert.notEqual(command === undefined, url === undefined, id)
    for (const address of [keyUrl ?? docsUrl, docsUrl]) assert.equal(URL.parse(address)?.protocol, 'https:', id)
    assert.match(keyInstructions, /\.$/)
    assert.deepEqual(requires, command === undefined ? [] : [command])
    const environment = valuesFor(variables)
    const { specs, problems } = read({ [id]: { acceptUnverified: true } }, { environment })
    assert.deepEqual(problems, [], id)
    assert.equal(specs[0]?.origin, 'integration')
    const target = JSON.stringify(specs[0].target)
    for (const name of variables) assert.ok(target.includes(`value of ${name}`), `${id}: ${name}`)
  }
})

test('no secret of an integration is an argument', { timeout }, () => {
  for (const { id, args = [], url = '' } of integrations)
    assert.doesNotMatch([...args, url].join(' '), /\$\{\w*(KEY|TOKEN|SECRET)/, id)
})

test('all variables set: it is there. One of them empty or missing: it is not, silently', { timeout }, () => {
  const environment = { GITHUB_PERSONAL_ACCESS_TOKEN: 'g', SLACK_BOT_TOKEN: 's', SLACK_TEAM_ID: '' }
  const { specs, problems } = read({}, { environment })
  assert.deepEqual(problems, [])
  assert.deepEqual(
    specs.map(({ id, target }) => [id, target]),
    [
      [
        'github',
        {
          kind: 'stdio',
          command: 'npx',
          args: ['-y', '@modelcontextprotocol/server-github'],
          env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'g' },
          cwd: '/data',
        },
      ],
    ],
  )
})

test('a package that nobody vouches for waits for the owner', { timeout }, () => {
  const environment = { TRELLO_API_KEY: 'k', TRELLO_TOKEN: 't' }
  const { specs, problems } = read({}, { environment })
  assert.deepEqual(specs, [])
  assert.match(problems[0]?.message ?? '', /^trello is not started: .* crow servers enable trello --accept-unverified/)
  assert.deepEqual(read({ trello: { disabled: true } }, { environment }).problems, [])
  assert.equal(read({ trello: { acceptUnverified: true } }, { environment }).specs.length, 1)
  assert.match(read({ arxiv: {} }).problems[0]?.message ?? '', /^arxiv is not started/)
  assert.equal(read({ arxiv: { acceptUnverified: true } }).specs.length, 1)
  assert.deepEqual(read({}).specs, [])
})

test('settings of an integration: values, more variables, limits; a missing value is told', { timeout }, () => {
  const secrets = new Map([['upstream/notion/NOTION_TOKEN', 'n"1']])
  const settings = { env: { NOTION_TOKEN: '${secret:notion/NOTION_TOKEN}', HTTPS_PROXY: 'p' }, deny: ['drop'] }
  const { specs } = read({ notion: settings }, { secrets, environment: { NOTION_TOKEN: 'not this' } })
  const [spec] = specs
  assert.ok(spec?.target.kind === 'stdio')
  assert.deepEqual(spec.deny, ['drop'])
  assert.deepEqual(JSON.parse(spec.target.env['OPENAPI_MCP_HEADERS'] ?? ''), {
    Authorization: 'Bearer n"1',
    'Notion-Version': '2022-06-28',
  })
  assert.deepEqual(Object.keys(spec.target.env), ['OPENAPI_MCP_HEADERS', 'HTTPS_PROXY'])
  assert.equal(read({ notion: {} }).problems[0]?.message, 'notion needs the variable NOTION_TOKEN, which is not set')
  assert.deepEqual(read({ notion: { disabled: true } }).problems, [])
})

test('an entry with a command of its own stands in place of the integration, and that is said', { timeout }, () => {
  const environment = { GITHUB_PERSONAL_ACCESS_TOKEN: 'g' }
  const { specs, notes } = read({ github: { command: 'mine' } }, { environment })
  assert.deepEqual(
    specs.map(({ id, origin }) => [id, origin]),
    [['github', 'file']],
  )
  assert.equal(notes.length, 1)
  assert.match(notes[0]?.message ?? '', /^github: .* in place of the integration/)
  assert.equal(integrationOf('nobody'), undefined)
})
