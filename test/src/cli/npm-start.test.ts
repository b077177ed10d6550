// The two commands of the README, the second one here: whatever Node npm itself runs on, it builds and serves.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { ROOT, scratchFolder } from './crow.ts'

const timeout = 90_000
/** Without our own Node in front, as in the shell of a person. */
const PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.startsWith(ROOT))
  .join(delimiter)

test('npm start builds, serves, and ends in good order when npm is told to end', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const npm = spawn('npm', ['start', '--', '--port', '0', '--data-dir', home], {
    cwd: ROOT,
    env: { HOME: home, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  t.after(() => npm.exitCode === null && npm.pid !== undefined && process.kill(-npm.pid, 'SIGKILL'))
  npm.stderr.resume()
  const ended = once(npm, 'close')
  let health: Response | undefined
  for await (const line of createInterface({ input: npm.stdout })) {
    const address = /^listening (http:\/\/127\.0\.0\.1:\d+)$/.exec(line)?.[1]
    if (address === undefined) continue
    health = await fetch(`${address}/health`)
    break
  }
  npm.stdout.resume()
  assert.equal(health?.status, 200)
  npm.kill('SIGTERM')
  await ended
  assert.equal(npm.exitCode, 0)
})
