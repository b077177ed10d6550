// `crow profiles`: what the owner sees and says, what is refused, and that a gateway that runs follows.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { at, modern, rpc } from '../../fixtures/rpc.ts'
import { PASSWORD } from '../../fixtures/sign-in.ts'
import { connect, newClient } from '../../plugins/oauth/client.ts'
import { crow, scratchFolder, serve } from './crow.ts'

const timeout = 120_000

async function desk(t: TestContext) {
  const home = scratchFolder(t)
  const made = JSON.parse((await crow({ home }, ['token', 'create', 'laptop', '--json'])).out)
  const profiles = async (...args: string[]) => await crow({ home }, ['profiles', ...args])
  const json = async (...args: string[]) => {
    const { out, err, status } = await profiles(...args, '--json')
    assert.equal(status, 0, err)
    return JSON.parse(out)
  }
  return { home, token: String(made.token), profiles, json }
}

test('profiles are listed, defined, given, shown and taken away', { timeout }, async (t) => {
  const { profiles, json } = await desk(t)
  const empty = await profiles('list')
  assert.match(
    empty.out,
    /^profile +mode +budget +pins\nrouter +router +- +-\ndirect +direct +- +-\nauto +auto +\d+ +-\n\nEvery client is shown the profile router\.\n$/,
  )
  const defined = await profiles('define', 'work', 'router', '--pin', 'store_memory', '--pin', 'crow_get_memory')
  assert.equal(defined.status, 0, defined.err)
  assert.match(
    defined.out,
    /^Profile work: router, pins crow_get_memory, crow_store_memory\.\nListed through one tool for each server: 5 tools, about \d+ tokens; by their own names it would be about \d+\.\n$/,
  )
  assert.match((await profiles('set', 'laptop', 'work')).out, /^token:laptop {2}laptop\nProfile work: /)
  assert.equal((await profiles('set', 'stdio', 'auto', '--budget', '100')).status, 0)
  assert.deepEqual(
    (await json('list')).clients.map(({ updatedAt: _updatedAt, ...row }: Record<string, unknown>) => row),
    [
      { client: 'stdio', name: 'every client of crow stdio', profile: null, mode: 'auto', budgetTokens: 100, pins: [] },
      {
        client: 'token:laptop',
        name: 'laptop',
        profile: 'work',
        mode: 'router',
        budgetTokens: null,
        pins: ['crow_get_memory', 'crow_store_memory'],
      },
    ],
  )
  const shown = await json('show', 'stdio')
  assert.equal(shown.listed.style, 'router')
  const { directTokens } = shown.listed
  assert.equal((await json('set', 'stdio', 'auto', '--budget', String(directTokens))).listed.style, 'direct')
  assert.equal((await json('set', 'stdio', 'auto', '--budget', String(directTokens - 1))).listed.style, 'router')
  assert.equal((await json('show', 'direct')).listed.tokens, directTokens)
  assert.deepEqual(
    (await profiles('remove', 'work')).err,
    'crow: The profile work is that of token:laptop.\ncrow: Give them another one first.\n',
  )
  assert.equal((await profiles('remove', 'laptop')).out, 'token:laptop is shown the profile router.\n')
  assert.equal((await profiles('remove', 'work')).out, 'The profile work is removed.\n')
  assert.equal((await json('show', 'laptop')).profile, 'router')
})

test('what cannot be meant is one sentence and an honest exit code', { timeout }, async (t) => {
  const { home, profiles } = await desk(t)
  const cases: readonly (readonly [args: string[], status: number, why: RegExp])[] = [
    [['show', 'lapto'], 1, /there is no client "lapto"; did you mean "laptop"\?/],
    [['set', 'laptop', 'dirct'], 1, /There is no profile "dirct"\. Did you mean direct\?/],
    [['set', 'laptop', 'work', '--pin', 'crow_get_memory'], 2, /"work" has its own/],
    [['set', 'laptop', 'direct', '--pin', 'crow_get_memory'], 1, /direct lists every tool already/],
    [['set', 'laptop', 'router', '--budget', '5'], 1, /A budget is for auto/],
    [['set', 'laptop', 'auto', '--budget', '0'], 2, /whole number/],
    [
      ['define', 'work', 'router', '--pin', 'crow_gt_memory'],
      1,
      /no tool "crow_gt_memory" to pin.*Nearest: crow_get_memory,/s,
    ],
    [['define', 'work', 'wide'], 2, /MODE is one of router, direct, auto/],
    [['define', 'direct', 'router'], 1, /built in/],
    [['remove', 'laptop'], 1, /token:laptop has no profile of its own/],
    [['set', 'laptop'], 2, /PROFILE is missing/],
  ]
  for (const [args, status, why] of cases) {
    const refused = await profiles(...args)
    assert.deepEqual([refused.status, refused.out], [status, ''], args.join(' '))
    assert.match(refused.err, why)
  }
  const empty = await crow({ home: scratchFolder(t) }, ['profiles', 'list'])
  assert.deepEqual([empty.status, /there is no data/.test(empty.err)], [69, true])
  const off = await crow({ home, env: { CROW_DISABLE_ROUTER: '1' } }, ['profiles', 'show', 'laptop'])
  assert.equal(off.status, 0)
  assert.match(off.err, /The router is off/)
})

test('a gateway that runs follows within a second, and the trail says what was done', { timeout }, async (t) => {
  const { home, token, profiles, json } = await desk(t)
  await crow({ home }, ['operator', 'password'], PASSWORD)
  const { port } = await serve(t, { home })
  const origin = `http://127.0.0.1:${port}`
  const list = async (to: string, path = '/router/mcp') => {
    const { text, messages } = await rpc({ port, token: to }, { path, ...modern('tools/list') })
    return JSON.stringify(at(messages[0], 'result.tools') ?? text)
  }
  const clientId = await newClient({ origin })
  const { access } = await connect({ origin }, clientId, {
    at: { scope: 'memory:read', resource: `${origin}/router/mcp` },
  })
  const routed = await list(access)
  let shown = routed
  const follows = async (expected: string, who: string) => {
    for (let turn = 0; turn < 20 && shown !== expected; turn++) {
      await delay(50)
      shown = await list(who)
    }
    assert.equal(shown, expected)
  }
  assert.equal((await json('set', 'Probe', 'direct')).client, `oauth:${clientId}`)
  await follows(await list(access, '/router/mcp?profile=direct'), access)
  assert.doesNotMatch(shown, /crow_store_memory/)
  assert.equal((await json('show', clientId)).listed.style, 'direct')
  assert.equal((await json('show', 'oauth:1')).profile, 'direct')
  assert.equal(await list(token), await list(token, '/router/mcp?profile=router'))
  await profiles('remove', `oauth:${clientId}`)
  await follows(routed, access)
  const trail = JSON.parse(
    (await crow({ home }, ['audit', '--server', 'gateway', '--tool', 'profile_set', '--json'])).out.split('\n')[0] ??
      '',
  )
  const [row] = [trail].flat()
  assert.deepEqual([row.caller, row.outcome, row.subject], ['cli', 'ok', `client:oauth:${clientId}`])
})
