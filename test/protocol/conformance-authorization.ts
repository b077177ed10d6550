// The scenarios of the conformance suite for authorization servers: it asks for an authorization and waits for somebody with a
// browser. Here that is the owner, who signs in and consents over HTTP.
import { spawn } from 'node:child_process'
import { freePort } from '../fixtures/loopback.ts'
import { PASSWORD } from '../fixtures/sign-in.ts'
import type { RunningApp } from '../fixtures/running-app.ts'
import { Browser } from '../plugins/oauth/browser.ts'
import { newClient } from '../plugins/oauth/client.ts'

const SCENARIOS = ['authorization-server-metadata-endpoint', 'authorization-code-grant']
const RUN_MS = 120_000

export interface AuthorizationVerdict {
  readonly passed: number
  readonly total: number
  readonly failed: readonly string[]
  readonly output: string
}

/** @param command the suite's own program */
export async function judgeAuthorization(running: RunningApp, command: string): Promise<AuthorizationVerdict> {
  if (!running.app.operators.exists()) await running.app.operators.setPassword(PASSWORD)
  const port = await freePort()
  const clientId = await newClient(running, `http://127.0.0.1:${port}/callback`)
  const options = ['authorization', '--url', running.origin, '--client-id', clientId, '--port', String(port)]
  const output = await run([command, ...options, '--resource', `${running.origin}/memory/mcp`], (url) =>
    consent(running, url),
  )
  const passed = new Set([...output.matchAll(/^✓ (\S+): \d+ passed, 0 failed/gm)].map((match) => match[1]))
  const failed = SCENARIOS.filter((name) => !passed.has(name))
  return { passed: SCENARIOS.length - failed.length, total: SCENARIOS.length, failed, output }
}

/** Goes through the authorization and hands its end to the suite, which listens at the redirect. */
async function consent({ origin }: RunningApp, url: string): Promise<void> {
  const { location, page } = await new Browser(origin).authorize(url)
  if (location === undefined) throw new Error(`the authorization ended on a page: ${page?.status} ${page?.text}`)
  await (await fetch(location)).text()
}

function run(args: readonly string[], onUrl: (url: string) => Promise<void>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { timeout: RUN_MS, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let isSent = false
    const take = (chunk: Buffer): void => {
      output += chunk.toString()
      const url = /^(http\S+\/authorize\?\S+)\n/m.exec(output)?.[1]
      if (isSent || url === undefined) return
      isSent = true
      onUrl(url).catch(reject)
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.once('error', reject)
    child.once('close', () => resolve(output))
  })
}
