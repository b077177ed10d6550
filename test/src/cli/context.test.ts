// `crow context` on a data folder of its own, as an owner uses it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crow, scratchFolder } from './crow.ts'

const timeout = 120_000

test('the owner sees what waits, looks at the difference, and decides', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const context = async (...args: string[]) => await crow({ home }, ['context', ...args])
  const missing = await context('pending')
  assert.deepEqual([missing.status, missing.out], [69, ''])
  const write = async (content: string) =>
    await crow({ home }, [
      'call',
      'memory',
      'update_context_section',
      '--section-key',
      'identity',
      '--content',
      content,
    ])
  // Nobody is there to be asked.
  const asked = await write('Trains.\u202e')
  assert.equal(asked.status, 1)
  assert.match(asked.out + asked.err, /wants to change crow\.md/)
  const doctor = async () => (await crow({ home }, ['doctor'])).out
  assert.match(
    await doctor(),
    /^warn {2}crow\.md .* 1 change waits for you: change identity \(global\)\n *→ Look and decide: .*context pending$/m,
  )
  const [row] = JSON.parse((await context('pending', '--json')).out)
  assert.partialDeepStrictEqual(row, { id: 1, action: 'update', section: 'identity', device: null, caller: 'cli' })
  assert.match((await context('pending')).out, /^id .*\n1 {3}update {2}identity/)
  const diff = await context('diff', '1')
  assert.equal(diff.status, 0)
  assert.match(diff.out, /^- You work with [^\n]*\n- [^\n]*\n\+ Trains\.\\u\{202e\}\n$/)
  assert.match(JSON.parse((await context('diff', '1', '--json')).out).diff, /\+ Trains/)
  const approved = await context('approve', '1')
  assert.deepEqual([approved.status, approved.out], [0, 'Approved: change identity (global).\n'])
  assert.match((await crow({ home }, ['call', 'memory', 'get_context'])).out, /## Identity\n\nTrains\./)
  await write('Ships.')
  assert.match((await context('reject', '2', '--json')).out, /"decision":"rejected"/)
  assert.equal((await context('pending')).out, 'Nothing waits.\n')
  assert.match(await doctor(), /^ok {4}crow\.md .* no change waits for you$/m)
  for (const command of ['diff', 'approve', 'reject']) {
    const gone = await context(command, '2', '--json')
    assert.equal(gone.status, 1, command)
    assert.equal(JSON.parse(gone.err).error.code, 'CHANGE_UNKNOWN')
    assert.equal((await context(command, 'x')).status, 2)
    assert.equal((await context(command)).status, 2)
  }
  const trail = await crow({ home }, ['audit', '--server', 'gateway', '--json'])
  const events = trail.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    events
      .filter(({ tool }) => tool.startsWith('context_'))
      .map(({ tool, outcome }) => `${tool} ${outcome}`)
      .toSorted(),
    ['context_approve CHANGE_UNKNOWN', 'context_approve ok', 'context_reject CHANGE_UNKNOWN', 'context_reject ok'],
  )
})

test(
  '--yes is the yes of whoever typed it, and with CROW_CONTEXT_WRITES=free nothing waits',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const args = ['call', 'memory', 'update_context_section', '--section-key', 'identity', '--content']
    const agreed = await crow({ home }, [...args, 'Trains.', '--yes'])
    assert.deepEqual([agreed.status, agreed.out.trim()], [0, 'Approved: change identity (global).'])
    const free = await crow({ home, env: { CROW_CONTEXT_WRITES: 'free' } }, [...args, 'Ships.'])
    assert.deepEqual([free.status, free.out.trim()], [0, 'Updated: section identity (global).'])
  },
)
