// The gateway for tests of the transport of 2024-11-05, with a server whose calls wait until they are released.
import type { TestContext } from 'node:test'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { createLog } from '../../../src/lib/log.ts'
import { startApp } from '../../fixtures/running-app.ts'
import { wireServer } from '../../fixtures/wire-server.ts'

export async function start(t: TestContext, env: Record<string, string> = {}) {
  const wire = wireServer()
  const lines: string[] = []
  const log = createLog({ level: 'warn', write: (line) => void lines.push(line) })
  const running = await startApp(env, { servers: [wire.definition], log })
  t.after(() => running.close())
  const { sessions, streams } = wireOf(running.app)
  return { wire, running, sessions, streams, lines }
}

export const waiting = (name: string, more: object = {}) => ({ name: 'wait', arguments: { name }, ...more })
