// The server that shows every external server's tools, resources and prompts, each under a name that says whose it is. It is
// there from the start, also while nothing is configured: what it shows comes and goes.
import { HOUR_MS } from '../lib/time.ts'
import { defineServer, type ServerDefinition } from '../runtime/server.ts'
import type { ToolSource } from '../runtime/source.ts'

/** Screenshots and documents pass whole; what is larger waits and can be asked for. */
const EGRESS_BYTES_MAX = 4 << 20

/** @param source names as they are to be called; `<id>_<tool>`, so that nothing is put before them here */
export function toolsServer(source: ToolSource): ServerDefinition {
  return defineServer({
    id: 'tools',
    prefix: '',
    title: 'Tools',
    summary: 'Tools of connected integrations',
    tools: [],
    source,
    // How long a call may be silent is the source's to say; this ends what nobody else did.
    limits: { deadlineMs: HOUR_MS, egressBytesMax: EGRESS_BYTES_MAX },
  })
}
