// Programs of others are run where nothing but this machine can be reached: in a network namespace with a loopback only.
import { spawnSync } from 'node:child_process'

const MARK = 'CROW_BENCH_ALONE'
const LOOPBACK = 'ip link set lo up && exec "$@"'

/** Runs this very command again without a network. @returns its exit code; undefined where it is alone, or cannot be */
export function againAlone(): number | undefined {
  if (process.env[MARK] !== undefined) return undefined
  if (spawnSync('unshare', ['-n', 'sh', '-c', LOOPBACK, 'sh', 'true']).status !== 0) {
    process.stderr.write('upstream: this system gives no network of its own, so other gateways run with it\n')
    return undefined
  }
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const { status } = spawnSync('unshare', ['-n', 'sh', '-c', LOOPBACK, 'sh', ...command], {
    stdio: 'inherit',
    env: { ...process.env, [MARK]: '1' },
  })
  return status ?? 1
}
