// SIGKILL at random moments under a writing load: the harness, for any script that takes a data folder and a name as
// arguments and says `{"stored": "<uid>"}` in a line after each acknowledged write.
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from './children.ts'

export interface CrashOptions {
  /** The script that writes. */
  readonly script: string
  readonly dataDir: string
  /** How often a writer is killed. Two write at a time, so the survivor meets what the other left behind. */
  readonly kills: number
  /** Called after each kill with every uid acknowledged so far by killed writers; throws where one is missing. */
  verify(acknowledged: ReadonlySet<string>): void | Promise<void>
}

/** The longest a writer lives after its first acknowledged write, in milliseconds. */
const lifeMsMax = 120

async function killWriter(options: CrashOptions, name: string): Promise<string[]> {
  const writer = startChild(options.script, [options.dataDir, name])
  const stored: string[] = []
  const listen = async (): Promise<void> => {
    for (;;) stored.push(String((await writer.next())['stored']))
  }
  try {
    stored.push(String((await writer.next())['stored']))
    const heard = listen().catch((error: unknown) => error)
    await sleep(Math.random() * lifeMsMax)
    await writer.end('SIGKILL')
    await heard
  } finally {
    await writer.end('SIGKILL')
  }
  return stored
}

/** @returns how many writes were acknowledged in all */
export async function crashRepeatedly(options: CrashOptions): Promise<number> {
  const acknowledged = new Set<string>()
  let started = 0
  const lane = async (): Promise<void> => {
    while (started < options.kills) {
      const stored = await killWriter(options, `writer${started++}`)
      for (const uid of stored) acknowledged.add(uid)
      await options.verify(acknowledged)
    }
  }
  await Promise.all([lane(), lane()])
  return acknowledged.size
}
