// A gateway that nobody has asked for anything rare has not loaded the SDK: that is a third of its memory.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

const TIMEOUT = { timeout: 30_000 }
const ROOM = new URL('../../../plugins/mcp/index.ts', import.meta.url).href

test('opening the MCP room loads neither the SDK nor its schema library', TIMEOUT, () => {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    await import(${JSON.stringify(ROOM)})
    process.stdout.write(loaded.filter((url) => /@modelcontextprotocol|[/]zod[/]/.test(url)).join(' '))
  `
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', timeout: 25_000 })
  assert.equal(run.status, 0, run.stderr)
  assert.equal(run.stdout, '')
})
