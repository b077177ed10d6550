// How a long command is asked to end.
import type { Environment } from './terminal.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** npm repeats Ctrl-C to its child, which the terminal has told already: two within this time are one press of the key. */
const SAME_KEY_MS = 200

/**
 * Resolves with true at the first request to end. A second request ends the process at once with the shell's code for it.
 * @param cancel stops listening; the promise then stays open
 */
export async function untilSignal(cancel: AbortSignal): Promise<true> {
  return await new Promise((resolve) => {
    let firstAt: number | undefined
    const onSignal = (name: NodeJS.Signals, number: number): void => {
      if (firstAt === undefined) {
        firstAt = performance.now()
        resolve(true)
      } else if (name !== 'SIGINT' || performance.now() - firstAt > SAME_KEY_MS) {
        process.exit(128 + number)
      }
    }
    for (const name of signals) process.on(name, onSignal)
    cancel.addEventListener('abort', () => signals.forEach((name) => process.off(name, onSignal)), { once: true })
  })
}

/** How often a process that npm started looks whether npm is still there. */
const PARENT_LOOK_MS = 1_000

/**
 * Resolves with true when the npm that started this process is gone: whoever ends npm means the gateway.
 * Stays open for a process that was started in any other way.
 */
export async function untilNpmIsGone(env: Environment, cancel: AbortSignal): Promise<true> {
  return await new Promise((resolve) => {
    if (env['npm_lifecycle_event'] === undefined) return
    const parent = process.ppid
    const timer = setInterval(() => {
      if (process.ppid !== parent) resolve(true)
    }, PARENT_LOOK_MS)
    timer.unref()
    cancel.addEventListener('abort', () => clearInterval(timer), { once: true })
  })
}
