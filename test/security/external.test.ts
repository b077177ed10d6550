// Attacks through external servers, on the whole gateway: what leaves towards them, and what they get to do.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { asker, ERAS, namesOf, resultOf, ROUTER } from '../fixtures/external/app.ts'
import { composed, scripted } from '../fixtures/external/composed.ts'
import { at, call, modern, openSession, rpc, type Received } from '../fixtures/rpc.ts'
import { recorded } from '../fixtures/upstream/fake-record.ts'

const timeout = 60_000
const textOf = (answer: Received): unknown => at(resultOf(answer), 'content.0.text')

test('no secret of the gateway reaches a child, and no tool can change what is started', { timeout }, async (t) => {
  const canaries = { ANTHROPIC_API_KEY: 'canary-one', CROW_SETUP_TOKEN: 'canary-two', MY_PASSWORD: 'canary-three' }
  const environment = { PATH: process.env['PATH'], HOME: '/nonexistent', LC_ALL: 'C', ...canaries }
  const gateway = await composed(t, { one: {} }, { environment })
  await gateway.listed('one_echo')
  const [start] = recorded(gateway.record('one'), 'start')
  assert.doesNotMatch(JSON.stringify(at(start, 'env')), /canary/)
  assert.equal(at(start, 'env.PATH'), process.env['PATH'])
  assert.equal(at(start, 'env.LC_ALL'), 'C')
})

test('what a client says never adds, changes or starts a command', { timeout }, async (t) => {
  const gateway = await composed(t, { one: {} })
  await gateway.listed('one_echo')
  const marker = join(gateway.folder, 'owned')
  const entry = { command: 'touch', args: [marker], env: { PATH: '/usr/bin:/bin' } }
  const before = readFileSync(join(gateway.folder, 'servers.json'), 'utf8')
  for (const era of ERAS)
    for (const path of ['/tools/mcp', ROUTER]) {
      const ask = await asker(gateway.to, era, { path })
      for (const name of ['one_echo', 'crow_tools', 'servers_add', 'one_echo; touch x'])
        await ask('tools/call', {
          name,
          arguments: { ...entry, action: 'one_echo', params: entry, mcpServers: { two: entry } },
        })
      for (const method of ['servers/add', 'tools/register', 'roots/list', 'initialize'])
        await ask(method, { mcpServers: { two: entry } })
    }
  const paths = gateway.running.app.printRoutes({ commonPrefix: false })
  assert.doesNotMatch(paths, /servers/)
  assert.equal(readFileSync(join(gateway.folder, 'servers.json'), 'utf8'), before)
  assert.equal(existsSync(marker), false)
  assert.equal(gateway.starts('one').length, 1)
})

interface Upstream {
  readonly url: string
  readonly seen: string[]
}

/** A 2025 server over HTTP that keeps everything it was sent, and answers with a secret of its own in every error. */
async function upstream(t: TestContext): Promise<Upstream> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      seen.push(`${request.method} ${request.url} ${request.rawHeaders.join('\n')}\n${text}`)
      const { id, method }: { id?: unknown; method?: string } = text === '' ? {} : JSON.parse(text)
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'http', version: '1' },
        },
        'tools/list': { tools: [{ name: 'look', inputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: 'looked' }] },
      }
      const result = results[method ?? '']
      const body = result === undefined ? { error: { code: -32601, message: 'no' } } : { result }
      response.writeHead(id === undefined ? 202 : 200, {
        'content-type': 'application/json',
        'set-cookie': 'up=stream',
      })
      response.end(id === undefined ? undefined : JSON.stringify({ jsonrpc: '2.0', id, ...body }))
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/mcp`, seen }
}

test('what a client sends to be let in never leaves, and what lets us in never comes back', { timeout }, async (t) => {
  const http = await upstream(t)
  const theirs = 'upstream-secret-token'
  const entry = { url: http.url, headers: { Authorization: `Bearer ${theirs}` } }
  const gateway = await composed(t, { http: entry, child: {} })
  await gateway.listed('http_look', 'child_echo')
  const headers = { cookie: 'mine=canary', 'x-api-key': 'canary', 'proxy-authorization': 'canary' }
  const { headers: session } = await openSession(gateway.to, { path: '/tools/mcp' })
  const answers: string[] = []
  for (const name of ['http_look', 'child_echo', 'http_none']) {
    const body = call('tools/call', { name, arguments: {}, _meta: { secret: 'canary' } }, 1)
    answers.push((await rpc(gateway.to, { path: '/tools/mcp', headers: { ...session, ...headers }, body })).text)
    const sent = modern('tools/call', { name, arguments: {} }, { meta: { 'my/secret': 'canary' }, headers })
    const answer = await rpc(gateway.to, { path: '/tools/mcp', ...sent })
    assert.doesNotMatch(String(answer.headers['set-cookie']), /stream/)
    answers.push(answer.text)
  }
  for (const path of ['/health', '/tools/mcp']) answers.push((await rpc(gateway.to, { path, method: 'GET' })).text)
  const sent = http.seen.join('\n') + JSON.stringify(gateway.received('child'))
  assert.match(sent, new RegExp(theirs))
  for (const secret of [gateway.to.token, session['mcp-session-id'], 'canary'])
    assert.ok(!sent.includes(secret), secret)
  assert.ok(!answers.join('\n').includes(theirs))
  assert.equal(answers.filter((answer) => answer.includes('looked')).length, 2)
})

test('addresses that lead to credentials of a cloud or back here are not opened', { timeout }, async (t) => {
  const gateway = await composed(
    t,
    {
      file: { url: 'file:///etc/passwd' },
      cloud: { url: 'http://169.254.169.254/latest/meta-data' },
      mapped: { url: 'http://[::ffff:a9fe:a9fe]/' },
      self: { url: 'http://127.0.0.1:3999/tools/mcp' },
      fine: {},
    },
    { env: { PORT: '3999' } },
  )
  await gateway.listed('fine_echo')
  const health = await rpc(gateway.to, { path: '/health', method: 'GET' })
  assert.deepEqual(at(health.messages[0], 'externalServers.0.id'), 'fine')
  assert.equal(at(health.messages[0], 'externalServers.1'), undefined)
})

test('one client’s server is never another’s where clients must not meet', { timeout }, async (t) => {
  const gateway = await composed(t, { own: scripted({}, undefined, { isolation: 'client' }) })
  await gateway.listed('own_pid')
  const clients = [await gateway.scoped('tools'), await gateway.scoped('tools')]
  const pids = await Promise.all(
    clients.flatMap((to) =>
      ERAS.map(async (era) => [to.token, textOf(await (await asker(to, era))('tools/call', { name: 'own_pid' }))]),
    ),
  )
  for (const [token, pid] of pids) for (const [other, theirs] of pids) assert.equal(token === other, pid === theirs)
})

test('a server cannot take a name of the gateway or of another server', { timeout }, async (t) => {
  const gateway = await composed(t, {
    crow: { onlyTools: ['discover', 'memory'] },
    memory: { onlyTools: ['look'] },
    one: { onlyTools: ['echo', 'Echo', 'ｅｃｈｏ', 'two_look', 'crow_discover', '__proto__'] },
    two: { onlyTools: ['look'] },
  })
  await gateway.listed('one_two_look', 'two_look')
  const names = namesOf(await (await asker(gateway.to, '2026'))('tools/list'))
  assert.equal(new Set(names.map((name) => name.normalize('NFKC').toLowerCase())).size, names.length, names.join(' '))
  for (const name of names) assert.match(name, /^(one|two)_[\w-]+$/)
  const ask = await asker(gateway.to, '2026')
  await ask('tools/call', { name: 'two_look', arguments: {} })
  assert.equal(gateway.received('two', 'tools/call').length, 1)
  assert.equal(gateway.received('one', 'tools/call').length, 0)
})

test('a forged link leads to the server that forged it, and to nothing of ours', { timeout }, async (t) => {
  const gateway = await composed(t, { one: { name: 'one' } })
  await gateway.listed('one_content')
  const links = ['file:///etc/passwd', 'javascript:alert(1)', 'crow://context', 'two+memo://two', 'http://127.0.0.1/']
  const items = links.map((uri) => ({ type: 'resource_link', uri, name: 'look' }))
  const ask = await asker(gateway.to, '2025')
  const answer = await ask('tools/call', { name: 'one_content', arguments: { items } })
  const shown = links.map((_link, index) => String(at(resultOf(answer), `content.${index}.uri`)))
  for (const uri of shown) assert.match(uri, /^one\+/, uri)
  const read = await ask('resources/read', { uri: shown[0] })
  assert.equal(at(resultOf(read), 'contents.0.text'), 'text of file:///etc/passwd', 'what that server has there')
  const plain = await ask('resources/read', { uri: 'file:///etc/passwd' })
  assert.equal(at(resultOf(plain), 'contents'), undefined)
})
