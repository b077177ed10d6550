// `crow servers` as a person uses it: processes of their own, a real child to test, and no secret anywhere but sealed.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { crow, type Ended, ROOT, scratchFolder } from './crow.ts'

const timeout = 180_000
const SECRET = 'hunter2-hunter2'
const FAKE = join(ROOT, 'test/fixtures/upstream/fake-server.mjs')

interface Scene {
  readonly file: string
  readonly text: () => string
  readonly run: (args: readonly string[], input?: string, env?: Readonly<Record<string, string>>) => Promise<Ended>
}

function scene(t: TestContext): Scene {
  const home = scratchFolder(t)
  const file = join(home, 'data', 'servers.json')
  return {
    file,
    text: () => readFileSync(file, 'utf8'),
    run: async (args, input = '', env = {}) =>
      await crow({ home, env: { CROW_DATA_DIR: join(home, 'data'), ...env } }, ['servers', ...args], input),
  }
}

test('a command is added, tested, switched off and on, shown and removed', { timeout }, async (t) => {
  const { run, file, text } = scene(t)
  const empty = await run(['list'])
  assert.deepEqual([empty.status, empty.err], [0, ''])
  assert.match(empty.out, /There is no external server/)
  const unconfirmed = await run(['add', 'fake', '--', process.execPath, FAKE])
  assert.equal(unconfirmed.status, 1)
  assert.match(
    unconfirmed.err,
    /fake runs this program with your rights.*\n {2}\S+node\S* \S+fake-server.mjs\n[^]*--yes confirms it/,
  )
  assert.ok(!existsSync(file))
  const added = await run(['add', 'fake', '--yes', '--secret', 'TOKEN', '--', process.execPath, FAKE], `${SECRET}\n`)
  assert.deepEqual([added.status, added.out], [0, 'fake is added. crow servers test fake tries it.\n'])
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(JSON.parse(text()), {
    mcpServers: { fake: { command: process.execPath, args: [FAKE], env: { TOKEN: '${secret:fake/TOKEN}' } } },
  })
  await run(['add', 'near', '--yes', '--cwd', 'work', '--', './tool', './file'])
  const { near } = JSON.parse(text()).mcpServers
  const home = join(file, '../..')
  assert.deepEqual([near.command, near.args, near.cwd], [join(home, 'tool'), ['./file'], join(home, 'work')])
  await run(['remove', 'near'])
  assert.match((await run(['add', 'fake', '--yes', '--', 'other'])).err, /there is a server fake already/)
  const tested = await run(['test', 'fake'])
  assert.equal(tested.status, 0, tested.err)
  assert.match(
    tested.out,
    /^fake 1\.2\.3, MCP 20\d\d-\d\d-\d\d, era 2025\ntools [1-9]\d*, prompts \d+, resources \d+.* ms\n$/,
  )
  assert.equal((await run(['disable', 'fake'])).status, 0)
  assert.equal(JSON.parse((await run(['list', '--json'])).out).servers[0].state, 'off')
  assert.equal((await run(['enable', 'fake', '--yes'])).status, 0)
  const [row] = JSON.parse((await run(['list', '--json'])).out).servers
  assert.deepEqual([row.id, row.kind, row.state, row.from, row.problem], ['fake', 'stdio', 'on', 'servers.json', null])
  const shown = JSON.parse((await run(['show', 'fake', '--json'])).out)
  assert.deepEqual(shown.variables, { TOKEN: 'sealed' })
  const outputs = [added, tested, await run(['list']), await run(['show', 'fake']), await run(['list', '--json'])]
  for (const { out, err } of outputs) assert.ok(!(out + err + text()).includes(SECRET))
  assert.equal((await run(['remove', 'fake'])).out, 'fake is removed.\n')
  assert.deepEqual(JSON.parse(text()), { mcpServers: {} })
  assert.equal((await run(['remove', 'fake'])).status, 1)
  const trail = await crow({ home: join(file, '../..'), env: { CROW_DATA_DIR: join(file, '..') } }, ['audit', '--json'])
  for (const event of ['server_add', 'server_disable', 'server_enable', 'server_remove'])
    assert.match(trail.out, new RegExp(`"tool":"${event}"`))
  assert.ok(!trail.out.includes(SECRET))
  writeFileSync(file, '{"mcpServers": {"fake": {"command": "x", "env": {"T": "${secret:fake/TOKEN}"}}}}')
  assert.match((await run(['list'])).err, /needs the secret fake\/TOKEN, which is not stored/)
})

test('a server that cannot start says why, with the last it wrote, and exits with 1', { timeout }, async (t) => {
  const { run } = scene(t)
  const script = JSON.stringify({ exit: { code: 3, stderr: 'ERR missing key\n' } })
  await run(['add', 'broken', '--yes', '--', process.execPath, FAKE, script])
  const tested = await run(['test', 'broken'])
  assert.deepEqual([tested.status, tested.out], [1, ''])
  assert.match(tested.err, /^crow: broken cannot be used: .*\n(.*\n)* {2}ERR missing key\n$/)
  const asJson = await run(['test', 'broken', '--json'])
  assert.deepEqual([asJson.status, JSON.parse(asJson.out).ok], [1, false])
  await run(['add', 'nothing', '--yes', '--', '/no/such/program'])
  assert.equal((await run(['test', 'nothing'])).status, 1)
  await run(['add', 'nowhere', '--url', 'http://127.0.0.1:9/mcp'])
  assert.equal((await run(['test', 'nowhere'])).status, 1)
  assert.match((await run(['test', 'brokn'])).err, /no external server "brokn".*\n.*Did you mean broken\?/)
  const logs = await run(['logs', 'broken'])
  assert.equal(logs.status, 69)
  assert.match(logs.err, /no gateway with external servers runs/)
})

test('an address: the secret becomes the bearer token, or stands where a header says', { timeout }, async (t) => {
  const { run, text } = scene(t)
  const add = async (...args: string[]): Promise<Ended> => await run(['add', ...args], `${SECRET}\n`)
  assert.equal((await add('one', '--url', 'https://a.example/mcp', '--secret', 'TOKEN')).status, 0)
  assert.equal(
    (await add('two', '--url', 'https://a.example/', '--secret', 'K', '--header', 'X-Api-Key: ${K}')).status,
    0,
  )
  assert.equal(
    (await add('three', '--url', 'https://a.example', '--header', `Authorization: Bearer ${SECRET}`)).status,
    0,
  )
  assert.equal((await add('four', '--url', 'http://192.168.7.7/s', '--type', 'sse')).status, 0)
  const { mcpServers } = JSON.parse(text())
  assert.deepEqual(mcpServers.one.headers, { Authorization: 'Bearer ${secret:one/TOKEN}' })
  assert.deepEqual(mcpServers.two.headers, { 'X-Api-Key': '${secret:two/K}' })
  assert.deepEqual(mcpServers.three.headers, { Authorization: '${secret:three/Authorization}' })
  assert.ok(!text().includes(SECRET))
  const list = await run(['list'])
  assert.match(list.out, /^four +sse +on +- +servers\.json +http:\/\/192\.168\.7\.7 \(private\)$/m)
  const refused: readonly (readonly [string[], RegExp, number])[] = [
    [['x', '--url', 'file:///etc/passwd'], /must begin with http: or https:/, 1],
    [['x', '--url', 'http://169.254.169.254/'], /link-local/, 1],
    [['x', '--url', 'http://localhost:3001/mcp'], /this gateway itself/, 1],
    [['memory', '--url', 'https://a.example'], /is reserved/, 2],
    [['GitHub', '--url', 'https://a.example'], /github would be one/, 2],
    [['x', '--url', 'https://a.example', '--', 'npx'], /not both/, 2],
    [['x', '--url', 'https://a.example', '--env', 'A=b'], /--env is for servers with a command/, 2],
    [['x', '--header', SECRET, '--url', 'https://a.example'], /--header is written NAME:VALUE/, 2],
    [['githb'], /did you mean the integration github\?/, 2],
    [['x', '--yes', '--env', 'A=${MISSING}', '--', 'npx'], /needs the variable MISSING/, 1],
  ]
  for (const [args, sentence, status] of refused) {
    const ended = await add(...args)
    assert.match(ended.err, sentence)
    assert.equal(ended.status, status, args.join(' '))
    assert.ok(!ended.err.includes(SECRET))
  }
})

test(
  'an integration needs its variables, and a package that nobody vouches for a word of its own',
  { timeout },
  async (t) => {
    const { run, text } = scene(t)
    assert.match((await run(['list', '--available'])).out, /^github +yes +GITHUB_PERSONAL_ACCESS_TOKEN/m)
    assert.match((await run(['add', 'github', '--yes'])).err, /needs the variable GITHUB_PERSONAL_ACCESS_TOKEN/)
    assert.equal((await run(['add', 'github', '--yes'], `${SECRET}\n`)).status, 0)
    const reference = '${secret:github/GITHUB_PERSONAL_ACCESS_TOKEN}'
    assert.deepEqual(JSON.parse(text()).mcpServers.github, { env: { GITHUB_PERSONAL_ACCESS_TOKEN: reference } })
    const list = async (): Promise<string> => (await run(['list'])).out
    assert.match(await list(), /^github +stdio +on +- +integration +npx -y @modelcontextprotocol\/server-github$/m)
    const yes = await run(['enable', 'arxiv', '--yes'])
    assert.match(yes.err, /Nobody we know of vouches for this package[\s\S]*--accept-unverified confirms it/)
    assert.equal(yes.status, 1)
    assert.equal((await run(['enable', 'arxiv', '--yes', '--accept-unverified'])).status, 0)
    assert.deepEqual(JSON.parse(text()).mcpServers.arxiv, { acceptUnverified: true })
    const environment = { SLACK_BOT_TOKEN: SECRET, SLACK_TEAM_ID: 'T1' }
    assert.match((await run(['list'], '', environment)).out, /^slack +stdio +on +- +integration/m)
    assert.equal((await run(['disable', 'slack'], '', environment)).status, 0)
    assert.match((await run(['list'], '', environment)).out, /^slack +stdio +off/m)
  },
)

test(
  'a file that people wrote keeps its comments, and one that cannot be read is not written',
  { timeout },
  async (t) => {
    const { run, file, text } = scene(t)
    await run(['add', 'first', '--yes', '--', 'one'])
    writeFileSync(file, '// mine\n{\n  "mcpServers": {\n    "a": { "command": "x", "odd": 1 }, // why\n  },\n}\n', {
      mode: 0o600,
    })
    assert.equal((await run(['add', 'second', '--yes', '--', 'two'])).status, 0)
    assert.equal((await run(['disable', 'a'])).status, 0)
    assert.match(text(), /^\/\/ mine\n[^]*"odd": 1, "disabled": true \},\n {4}"second": \{[^]*\/\/ why/)
    assert.match((await run(['list'])).err, /a: odd is kept, and has no effect/)
    writeFileSync(file, JSON.stringify({ mcpServers: { ['x'.repeat(100)]: {}, 'a\u202Eb': {}, 'Git Hub': {} } }))
    const odd = JSON.parse((await run(['list', '--json'])).out).servers
    assert.deepEqual(
      odd.map(({ id, state, from }: Record<string, string>) => [id, state, from]),
      [
        ['Git Hub', 'problem', 'servers.json'],
        ['ab', 'problem', 'servers.json'],
        [`${'x'.repeat(64)}…`, 'problem', 'servers.json'],
      ],
    )
    assert.doesNotMatch((await run(['list'])).err, /\u202E/)
    writeFileSync(file, `{ "mcpServers": { "a": "${SECRET}`)
    const broken = await run(['add', 'third', '--yes', '--', 'three'])
    assert.equal(broken.status, 1)
    assert.match(broken.err, /servers\.json is not valid JSON.*\n.*nothing was changed/)
    assert.ok(!broken.err.includes(SECRET))
    assert.equal(text(), `{ "mcpServers": { "a": "${SECRET}`)
    assert.equal((await run(['list'])).status, 1)
  },
)
