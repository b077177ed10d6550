// GET /api/health: how this machine and this process are doing. For the operator only: it says what a stranger could measure an attack by.
import fp from 'fastify-plugin'
import { Type, type Static } from 'typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { machineHealth, type MachineHealth } from '../../src/lib/machine.ts'
import { VERSION } from '../../src/lib/version.ts'
import { CIRCUIT_STATES, SOURCE_STATES, type SourceStatus } from '../../src/runtime/source.ts'

const bytes = (description: string) => Type.Number({ minimum: 0, description })

const Source = Type.Object({
  id: Type.String(),
  name: Type.String(),
  tools: Type.Integer({ minimum: 0 }),
  status: Type.Enum(SOURCE_STATES),
  restarts: Type.Integer({ minimum: 0 }),
  circuit: Type.Enum(CIRCUIT_STATES),
  connections: Type.Optional(Type.Integer({ minimum: 0 })),
  pending: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Calls that wait for an answer or for a connection.' }),
  ),
  since: Type.Optional(Type.String({ format: 'date-time' })),
  lastError: Type.Optional(Type.String()),
})

const Status = Type.Object({
  status: Type.Literal('ok'),
  version: Type.String(),
  node: Type.String(),
  memory: Type.Object({
    totalBytes: bytes('Memory of the machine.'),
    freeBytes: bytes('Memory of the machine that nothing uses.'),
    processBytes: bytes('Resident memory of this process.'),
    heapBytes: bytes('JavaScript heap in use.'),
  }),
  disk: Type.Object({
    totalBytes: bytes('The file system of the data folder.'),
    freeBytes: bytes('What may still be written there.'),
  }),
  cpu: Type.Object({
    count: Type.Integer({ minimum: 1 }),
    load: Type.Array(Type.Number({ minimum: 0 }), { description: 'Averages over 1, 5 and 15 minutes.' }),
    processPercent: Type.Number({ minimum: 0, description: 'Share of one processor that this process uses now.' }),
  }),
  uptimeS: Type.Object({ machine: Type.Integer(), process: Type.Integer() }),
  sources: Type.Array(Source, { description: 'The external servers, and why one that is down is.' }),
})

/** Askers within this time get one measurement. */
const FRESH_MS = 1000

const status: FastifyPluginAsyncTypebox = async (app) => {
  const { catalog, clock, config } = app
  let last: { readonly at: number; readonly health: Promise<MachineHealth> } | undefined
  app.route({
    method: ['GET', 'HEAD'],
    url: '/api/health',
    schema: { response: { 200: Status } },
    handler: async () => {
      const now = clock.now()
      if (last === undefined || now - last.at >= FRESH_MS || now < last.at)
        last = { at: now, health: machineHealth(config.dataDir) }
      const { memory, disk, cpu, uptimeS } = await last.health
      return {
        status: 'ok' as const,
        version: VERSION,
        node: process.version,
        memory,
        disk,
        cpu: { ...cpu, load: [...cpu.load] },
        uptimeS,
        sources: catalog.servers.flatMap((server) => server.statuses().map(sourceOf)),
      }
    },
  })
}

function sourceOf({ since, ...facts }: SourceStatus): Static<typeof Source> {
  return { ...facts, ...(since === undefined ? {} : { since: new Date(since).toISOString() }) }
}

export default fp(status, { name: 'status', dependencies: ['doors/operator'], encapsulate: true, fastify: '5.x' })
