// The three tools by which a client chooses what it is shown.
import { Type } from 'typebox'
import { everyone } from '../compile-server.ts'
import type { CompiledServer } from '../compiled.ts'
import type { Caller } from '../context.ts'
import { fault, type ToolFault } from '../fault.ts'
import { defineTool, type Tool } from '../tool.ts'
import { noServer, serverNamed, type ActiveServers } from './active.ts'

export interface Switchboard {
  readonly active: ActiveServers
  /** How many tools this caller is shown in all. */
  readonly size: (caller: Caller) => number
  /** Called after the lists have changed. */
  readonly changed: (server: CompiledServer, isActive: boolean) => Promise<void>
}

const sizeOf = (server: CompiledServer, caller: Caller): number => server.listTools(caller).length

const serverName = (description = '') =>
  Type.String({ minLength: 1, maxLength: 64, ...(description === '' ? {} : { description }) })

const toolsOf = (count: number): string => `${count} tool${count === 1 ? '' : 's'}`

export function switchTools({ active, size, changed }: Switchboard): readonly Tool[] {
  const known = (caller: Caller) => active.all.filter((server) => server.access(caller) !== 'none')
  const chosen = (name: string, caller: Caller): CompiledServer | ToolFault => {
    const servers = known(caller)
    return serverNamed(servers, name) ?? unknown(servers, name)
  }
  const others = known(everyone).filter((server) => server !== active.home)
  const activate = defineTool({
    name: 'activate_server',
    summary: 'Show the tools of a server',
    description: 'Add the tools of a server to the list.',
    input: Type.Object({ server: serverName(others.map(({ id }) => id).join('|')) }),
    effect: 'write',
    // What is asked for first is shown first, and the lists change before anything else is read.
    serializeBy: null,
    async handle({ server: asked }, { caller }) {
      const server = chosen(asked, caller)
      if (!('id' in server)) return server
      const count = toolsOf(sizeOf(server, caller))
      if (active.has(server)) return `${server.id} is active already: ${count}.`
      active.activate(server)
      await changed(server, true)
      return `${server.id} is active: ${count} more, ${size(caller)} in all.`
    },
  })
  const deactivate = defineTool({
    name: 'deactivate_server',
    summary: 'Hide the tools of a server',
    description: 'Take the tools of a server off the list.',
    input: Type.Object({ server: serverName() }),
    effect: 'write',
    serializeBy: null,
    async handle({ server: asked }, { caller }) {
      const server = chosen(asked, caller)
      if (!('id' in server)) return server
      if (server === active.home)
        return fault('CONFLICT', `${server.id} is the default server and stays active.`, {
          recovery: 'Deactivate another one.',
        })
      if (!active.has(server)) return `${server.id} is not active.`
      active.deactivate(server)
      await changed(server, false)
      return `${server.id} is no longer active: ${toolsOf(sizeOf(server, caller))} fewer, ${size(caller)} in all.`
    },
  })
  const status = defineTool({
    name: 'server_status',
    summary: 'Servers and what is active',
    description: 'List the servers: how many tools each has, and which are active.',
    effect: 'read',
    handle: (_input, { caller }) =>
      [
        ...known(caller).map((server) => {
          const state = server === active.home ? ' active, default' : active.has(server) ? ' active' : ''
          return `${server.id} ${sizeOf(server, caller)}${state} - ${server.summary}`
        }),
        `${toolsOf(size(caller))} in all`,
      ].join('\n'),
  })
  return [activate, deactivate, status]
}

function unknown(servers: readonly CompiledServer[], name: string): ToolFault {
  return fault('NOT_FOUND', noServer(servers, name), {
    recovery: `Servers: ${servers.map(({ id }) => id).join(', ')}.`,
  })
}
