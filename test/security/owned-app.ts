// The whole gateway as its owner runs it: doors on, a password set, a second server so that an audience can be the wrong one,
// a clock that tests move and a log that they read.
import type { TestContext } from 'node:test'
import type { AppOptions } from '../../src/app.ts'
import { createLog } from '../../src/lib/log.ts'
import { defineServer } from '../../src/runtime/server.ts'
import { startApp, type RunningApp } from '../fixtures/running-app.ts'
import { PASSWORD } from '../plugins/oauth/oauth-app.ts'

export interface OwnedApp extends RunningApp {
  readonly time: { offsetMs: number }
  readonly lines: string[]
}

const storage = defineServer({ id: 'storage', title: 'Storage', summary: 'A second server.', tools: [] })

/** The budget of strangers has its own tests; elsewhere it must not end an attack early. */
export async function ownedApp(
  t: TestContext,
  env: Record<string, string> = {},
  options: AppOptions = {},
): Promise<OwnedApp> {
  const time = { offsetMs: 0 }
  const lines: string[] = []
  const log = createLog({ level: 'debug', write: (line) => void lines.push(line) })
  const running = await startApp(
    { CROW_LIMIT_STRANGER: '100000', ...env },
    { log, clock: { now: () => Date.now() + time.offsetMs }, servers: [storage], ...options },
  )
  t.after(() => running.close())
  await running.app.operators.setPassword(PASSWORD)
  return { ...running, time, lines }
}
