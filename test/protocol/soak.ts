// The differential test at length: 10,000 requests from a fresh seed, which is printed so that a failure can be repeated.
import { runDifferential } from './differential.ts'

const REQUESTS = 10_000

const seed = Number(process.argv[2] ?? Date.now() % 2 ** 31)
process.stdout.write(`differential: seed ${seed}\n`)
const { valid, validHot } = await runDifferential(REQUESTS, seed)
process.stdout.write(`differential: ${REQUESTS} equal, ${valid} valid, ${validHot} of those hot\n`)
process.exitCode = valid >= 0.6 * REQUESTS && validHot >= 0.95 * valid ? 0 : 1
