// A gateway that serves loads no tokenizer: in a process of its own, every module that is resolved is written down.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { ROOT } from '../../../tidy/source.ts'
import { temporaryFolder } from '../../db/temporary.ts'

const timeout = 60_000
const urlOf = (path: string): string => JSON.stringify(pathToFileURL(join(ROOT, path)).href)

function loadedBy(program: string): string[] {
  const run = spawnSync(
    process.execPath,
    [
      '--import',
      pathToFileURL(join(ROOT, 'fast-drizzle.mjs')).href,
      '--input-type=module',
      '-e',
      `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ resolve: (name, context, next) => (loaded.push(name), next(name, context)) })
      ${program}
      console.log(JSON.stringify(loaded))
      `,
    ],
    { cwd: ROOT, encoding: 'utf8', timeout: timeout - 5_000, env: { PATH: process.env['PATH'] } },
  )
  assert.equal(run.status, 0, run.stderr)
  const loaded: unknown = JSON.parse(run.stdout)
  assert.ok(Array.isArray(loaded))
  return loaded.map(String)
}

const isTokenizer = (name: string): boolean => name.includes('gpt-tokenizer')

test('starting, listing, calling and reading the ledger load no tokenizer; counting does', { timeout }, (t) => {
  const served = loadedBy(`
    const { startApp } = await import(${urlOf('test/fixtures/running-app.ts')})
    const { modern, rpc } = await import(${urlOf('test/fixtures/rpc.ts')})
    const running = await startApp({ CROW_DATA_DIR: ${JSON.stringify(temporaryFolder(t))} })
    for (const [method, params] of [
      ['tools/list', {}],
      ['tools/call', { name: 'crow_discover', arguments: {} }],
      ['resources/read', { uri: 'crow://ledger' }],
    ]) {
      const { status } = await rpc(running, { path: '/router/mcp', ...modern(method, params) })
      if (status !== 200) throw new Error(method)
    }
    await running.close()
  `)
  assert.ok(served.some((name) => name.endsWith('ledger/factors.ts') || name.endsWith('./factors.ts')))
  assert.deepEqual(served.filter(isTokenizer), [])
  const counted = loadedBy(`
    const { declaredCatalog } = await import(${urlOf('src/cli/declared.ts')})
    const { exactLists } = await import(${urlOf('src/cli/exact-lists.ts')})
    await exactLists(declaredCatalog())
  `)
  assert.ok(counted.some(isTokenizer))
})
