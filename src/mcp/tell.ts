// What a client of the SDK is told when something changes, over whatever it is connected by.
import type { Server } from '@modelcontextprotocol/server'
import type { Change } from '../runtime/bus.ts'

/** @param watches whether this client asked to hear of a resource */
export async function tell(server: Server, change: Change, watches: (uri: string) => boolean): Promise<void> {
  switch (change.kind) {
    case 'tools':
      return server.sendToolListChanged()
    case 'prompts':
      return server.sendPromptListChanged()
    case 'resources':
      return server.sendResourceListChanged()
    case 'resource':
      if (watches(change.uri)) await server.sendResourceUpdated({ uri: change.uri })
  }
}
