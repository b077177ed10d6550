// The process. The guard comes before everything else, because on an old Node the rest would fail in ways nobody understands.
import { nodeProblem } from './cli/node-version.ts'

const problem = nodeProblem(process.versions.node)
if (problem === undefined) {
  const { runProcess } = await import('./cli/run.ts')
  await runProcess(process)
} else {
  process.stderr.write(`crow: ${problem}\n`)
  process.exitCode = 1
}
