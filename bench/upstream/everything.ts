// The external server that every gateway of this section is put in front of: the reference server, over stdio.
import { fileURLToPath } from 'node:url'

export const everything: readonly [command: string, ...args: string[]] = [
  process.execPath,
  fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js')),
  'stdio',
]

export const echo = (name: string, id: number) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: { message: `m${id}` } },
})
