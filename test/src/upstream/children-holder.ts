// A process that supervises scripted servers and records them, as a gateway does, until somebody kills it.
// Arguments: the data folder, and the settings of each server as JSON. Writes one line when all of them stand.
import { childRegister } from '../../../src/upstream/children.ts'
import { openStdio } from '../../../src/upstream/stdio/open.ts'
import { fakeTarget } from '../../fixtures/upstream/fake-record.ts'

const [dataDir = '', ...scripts] = process.argv.slice(2)
const register = childRegister(dataDir, (error) => {
  throw error
})
const open = openStdio({ base: { PATH: process.env['PATH'] ?? '' }, register })
await Promise.all(
  scripts.map((script) =>
    open(fakeTarget({ ...JSON.parse(script) }), {
      era: '2025',
      handlers: { onNotification: () => undefined, onRequest: () => Promise.reject(new Error('nothing is asked')) },
      capabilities: {},
      startTimeoutMs: 10_000,
      note: () => undefined,
    }),
  ),
)
process.stdout.write('standing\n')
