// The long form of the tests of this folder: `node --import ./fast-drizzle.mjs test/anomaly/soak.ts [kills = 200] [races = 20]`.
// Writers are killed that many times, and that many times three processes start on an empty or old folder. Ends with the
// exit code of the tests.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const [kills = '200', races = '20'] = process.argv.slice(2)
const loader = join(import.meta.dirname, '../../fast-drizzle.mjs')
const suites = ['crash.test.ts', 'start-race.test.ts'].map((name) => join(import.meta.dirname, name))

const tests = spawn(process.execPath, ['--import', loader, '--test', ...suites], {
  stdio: 'inherit',
  env: { ...process.env, CROW_TEST_KILLS: kills, CROW_TEST_RACES: races },
})
const [code] = await once(tests, 'exit')
process.exitCode = code === 0 ? 0 : 1
