// Five secrets go through everything that the gateway does with them, right and wrong; afterwards none of them is to be read in a
// log line, in an answer that was not meant to hold it, in the trail, or in any file of the data folder.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createLog } from '../../src/lib/log.ts'
import { modern, rpc } from '../fixtures/rpc.ts'
import { startApp, type RunningApp } from '../fixtures/running-app.ts'
import { Browser, pkce } from '../plugins/oauth/browser.ts'
import { begin, LOOPBACK, post, redeem, refresh, register, textOf, type JsonAnswer } from '../plugins/oauth/client.ts'
import { appCode } from '../src/operator/owner.ts'
import { endpoint, type Endpoint } from '../src/search/embeddings-endpoint.ts'

const timeout = 120_000
const PASSWORD = 'sentinel of nine brass herrings'
const PROVIDER_KEY = 'sk-sentinel-0123456789abcdefXYZ'

interface Gateway extends RunningApp {
  readonly vectors: Endpoint
  readonly lines: string[]
  /** Answers that hold none of the secrets by design. */
  readonly answers: string[]
}

async function gateway(t: TestContext): Promise<Gateway> {
  const lines: string[] = []
  const log = createLog({ level: 'trace', write: (line) => void lines.push(line) })
  const vectors = await endpoint(t)
  const env = {
    CROW_LOG_LEVEL: 'trace',
    CROW_LIMIT_STRANGER: '100000',
    CROW_EMBED_PROVIDER: 'openai',
    CROW_EMBED_URL: vectors.url,
    CROW_EMBED_MODEL: 'test',
    CROW_EMBED_API_KEY: PROVIDER_KEY,
  }
  const running = await startApp(env, { log })
  t.after(() => running.close())
  return { ...running, vectors, lines, answers: [] }
}

const plain = ({ status, headers, body }: JsonAnswer): string => JSON.stringify([status, [...headers], body])

/** The owner sets a password, signs in wrongly and well, and turns on the second factor. @returns its secret */
async function owner({ app, origin, answers }: Gateway, browser: Browser): Promise<string> {
  const send = async (path: string, form: Record<string, string>): Promise<Response> => {
    const answer = await browser.fetch(origin + path, new URLSearchParams(form))
    answers.push(await answer.clone().text(), answer.headers.get('location') ?? '')
    return answer
  }
  const code = await app.operators.makeSetupCode()
  await send('/setup', { code, password: PASSWORD, repeated: `${PASSWORD}x` })
  assert.equal((await send('/setup', { code, password: PASSWORD, repeated: PASSWORD })).status, 303)
  await send('/account/second-factor', { current: PASSWORD })
  const enrolment = await (await browser.fetch(`${origin}/account/second-factor`)).text()
  const secret = (/class="code">([A-Z2-7 ]+)</.exec(enrolment)?.[1] ?? '').replaceAll(' ', '')
  assert.match(secret, /^[A-Z2-7]{32}$/)
  assert.equal((await send('/account/second-factor/confirm', { code: appCode(secret, Date.now()) })).status, 303)
  await send('/account/recovery-codes', { current: `${PASSWORD}!` })
  await send('/login', { password: PASSWORD, code: secret })
  await send('/login', { password: `${PASSWORD}.`, code: '000000' })
  await browser
    .fetch(`${origin}/login?password=${encodeURIComponent(PASSWORD)}`)
    .then(async (answer) => answers.push(await answer.text()))
  return secret
}

/** A client with a secret connects, refreshes, asks about its token, and does each of it wrongly as well. */
async function client(running: Gateway, browser: Browser): Promise<{ access: string; secret: string }> {
  const { answers, origin } = running
  const registered = await register(running, {
    client_name: 'Sentinel',
    redirect_uris: [LOOPBACK],
    token_endpoint_auth_method: 'client_secret_post',
  })
  const credentials = { client_id: textOf(registered, 'client_id'), client_secret: textOf(registered, 'client_secret') }
  const { location } = await browser.authorize(begin(running, credentials.client_id).url)
  const code = location?.searchParams.get('code') ?? ''
  const clientId = credentials.client_id
  answers.push(plain(await redeem(running, { code, verifier: pkce().verifier, clientId, exchange: credentials })))
  const second = await browser.authorize(begin(running, clientId).url)
  assert.notEqual(second.location, undefined)
  const { url: again, verifier: proof } = begin(running, clientId)
  const good = (await browser.authorize(again)).location?.searchParams.get('code') ?? ''
  const answer = await redeem(running, { code: good, verifier: proof, clientId, exchange: credentials })
  const access = textOf(answer, 'access_token')
  assert.equal((await refresh(running, clientId, textOf(answer, 'refresh_token'), credentials)).status, 200)
  const wrong = { ...credentials, client_secret: `${credentials.client_secret}x` }
  for (const [path, form] of [
    ['/introspect', { ...credentials, token: access }],
    ['/introspect', { ...wrong, token: access }],
    ['/revoke', { ...wrong, token: access }],
    ['/token', { ...wrong, grant_type: 'refresh_token', refresh_token: access }],
    ['/token', { ...credentials, grant_type: access, code: credentials.client_secret }],
    ['/revoke', { client_id: access, token: credentials.client_secret }],
  ] as const)
    answers.push(plain(await post(running, path, form)))
  for (const path of [
    `/authorize?client_id=${access}&x=${credentials.client_secret}`,
    `/interaction/${access}`,
    `/${access}`,
  ])
    answers.push(await (await fetch(origin + path, { redirect: 'manual' })).text())
  return { access, secret: credentials.client_secret }
}

/** Tools are called with the token, well and badly, while the provider of vectors answers with the key it was sent. */
async function calls({ port, token, vectors, answers, app }: Gateway, access: string): Promise<void> {
  const store = modern('tools/call', { name: 'crow_store_memory', arguments: { content: 'the boat sails' } })
  const search = modern('tools/call', { name: 'crow_search_memories', arguments: { query: 'boat' } })
  vectors.fault = (response) => void response.writeHead(401).end(`{"error":{"message":"bad key ${PROVIDER_KEY}"}}`)
  for (const sent of [
    store,
    search,
    { body: `{"${access}` },
    { ...search, headers: { ...search.headers, 'mcp-session-id': access } },
    { ...search, headers: { ...search.headers, authorization: `Bearer ${access}x` } },
    { ...search, headers: { ...search.headers, authorization: `Basic ${access}` } },
    { ...search, headers: { ...search.headers, host: 'evil.example' } },
    { ...search, path: `/memory/mcp?access_token=${access}` },
  ]) {
    const answer = await rpc({ port, token: access }, { path: '/memory/mcp', ...sent })
    answers.push(answer.text, JSON.stringify(answer.headers))
  }
  vectors.fault = undefined
  answers.push((await rpc({ port, token }, { path: '/memory/mcp', ...search })).text)
  app.log.error(
    { err: new Error(`failed with Bearer ${access}`), headers: { authorization: `Bearer ${access}` } },
    access,
  )
}

/** As it is, in a URL, in a Basic header, and in hexadecimal. */
const spellings = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
]

test('of five secrets none can be read in the log, in errors, in the trail or in any file', { timeout }, async (t) => {
  const running = await gateway(t)
  const browser = new Browser(running.origin)
  const totp = await owner(running, browser)
  const { access, secret } = await client(running, browser)
  await calls(running, access)
  await running.app.audit.flush()
  const { database } = running.app
  assert.ok(
    running.vectors.requests.some(({ authorization }) => authorization?.includes(PROVIDER_KEY)),
    'the key was in use',
  )
  const folder = dirname(database.path)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  assert.ok(files.some(({ name }) => name === 'crow.db') && running.answers.length > 20)
  assert.ok(
    running.lines.some((line) => line.includes('failed with Bearer [masked]')),
    running.lines.join(''),
  )
  const places: [place: string, text: string][] = [
    ...files.map(({ parentPath, name }): [string, string] => [name, readFileSync(join(parentPath, name), 'latin1')]),
    ...running.lines.map((line): [string, string] => ['the log', line]),
    ...running.answers.map((text): [string, string] => ['an answer', text]),
    ['the trail', JSON.stringify(database.sqlite.prepare('SELECT * FROM audit').all())],
  ]
  assert.ok(
    places.some(([, text]) => text.includes('Sentinel')),
    'the files are those of this run',
  )
  for (const [what, sentinel] of Object.entries({ PASSWORD, totp, access, secret, PROVIDER_KEY }))
    for (const spelling of spellings(sentinel))
      for (const [place, text] of places)
        assert.ok(!text.includes(spelling), `${what} is in ${place}: …${around(text, spelling)}…`)
})

function around(text: string, secret: string): string {
  const at = text.indexOf(secret)
  return text.slice(Math.max(0, at - 120), at)
}
