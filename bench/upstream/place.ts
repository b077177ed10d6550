// A gateway in front of scripted servers, for what is measured while they misbehave.
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entriesOf, isAlive, startsIn, writeServers, type Entries } from '../../test/fixtures/external/composed.ts'
import { at, modern, rpc, type Received, type Target } from '../../test/fixtures/rpc.ts'
import { Server, temporaryFolder } from '../http/process.ts'

export class Place {
  readonly folder: string
  #server: Server | undefined
  #to: Target | undefined

  /** @param servers settings of scripted servers by id */
  constructor(servers: Entries, folder = temporaryFolder()) {
    this.folder = folder
    writeServers(folder, entriesOf(folder, servers))
  }

  get server(): Server {
    if (this.#server === undefined) throw new Error('it is not started')
    return this.#server
  }

  /** As the first client. */
  get to(): Target {
    if (this.#to === undefined) throw new Error('it is not started')
    return this.#to
  }

  /** Starts the gateway, or starts it again. @param bundle of the bench server */
  async start(bundle: string): Promise<Server> {
    const env = { CROW_DATA_DIR: this.folder, PORT: '0', HOME: tmpdir() }
    this.#server = await Server.start({ args: [bundle], env, everyCore: true })
    const token = this.#to?.token ?? (await this.#server.token())
    this.#to = { port: this.#server.port, token }
    return this.#server
  }

  /** Another client than the first. */
  async client(): Promise<Target> {
    return { port: this.server.port, token: await this.server.token() }
  }

  async stop(): Promise<void> {
    await this.#server?.stop()
    this.#server = undefined
  }

  /** Process ids of the children of a server that live. */
  living(id: string): number[] {
    return startsIn(join(this.folder, `${id}.jsonl`)).filter(isAlive)
  }

  /** Open descriptors of the gateway. */
  descriptors(): number {
    return readdirSync(`/proc/${this.server.pid}/fd`).length
  }

  async ask(method: string, params: Record<string, unknown> = {}, path = '/tools/mcp'): Promise<Received> {
    return await rpc(this.to, { path, ...modern(method, params) })
  }

  async names(): Promise<string[]> {
    const tools: unknown = at((await this.ask('tools/list')).messages[0], 'result.tools')
    return Array.isArray(tools) ? tools.map((tool) => String(at(tool, 'name'))) : []
  }

  async untilListed(...names: string[]): Promise<void> {
    await eventually(
      async () => {
        const listed = await this.names()
        return names.every((name) => listed.includes(name))
      },
      `${names.join(', ')} listed`,
    )
  }
}

/** Looks again and again. @returns milliseconds until it held */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  what: string,
  { everyMs = 5, withinMs = 60_000 } = {},
): Promise<number> {
  const begun = performance.now()
  while (!(await holds())) {
    if (performance.now() - begun > withinMs) throw new Error(`never: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
  return performance.now() - begun
}
