// The order of registration is the security model: every wrong order refuses to boot, and says which rule it broke.
import assert from 'node:assert/strict'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { test, type TestContext } from 'node:test'
import body from '../../plugins/armour/body.ts'
import errors from '../../plugins/armour/errors.ts'
import guard from '../../plugins/armour/guard.ts'
import limits from '../../plugins/armour/limits.ts'
import network from '../../plugins/armour/network.ts'
import { anyone } from '../../plugins/doors/anyone.ts'
import { behind, type Door } from '../../plugins/doors/behind.ts'
import { caller } from '../../plugins/doors/caller.ts'
import { loopbackCaller } from '../../plugins/doors/loopback-caller.ts'
import health from '../../plugins/health/index.ts'
import mcp from '../../plugins/mcp/index.ts'
import { armouredApp, inOrder } from '../plugins/armoured-app.ts'

const timeout = 20_000
const text = { config: { answers: 'text' } } as const
const bare = (): FastifyPluginAsync => async (app) => void app.get('/bare', text, () => 'open to all')

/** A room that needs to know who calls. */
const needsCaller = fp(bare(), { name: 'needs-caller', dependencies: ['doors/caller'], encapsulate: true })

/** A gate that only makes sense once somebody was identified. */
const gate: Door = {
  name: 'peer-gate',
  limit: '',
  plugin: fp((_app, _options, done) => done(), { name: 'doors/peer-gate', dependencies: ['doors/caller'] }),
}
const needsGate = fp(bare(), { name: 'needs-gate', dependencies: ['doors/peer-gate'], encapsulate: true })

const armour = async (app: FastifyInstance): Promise<void> => {
  for (const plugin of [errors, network, body, limits, guard]) await app.register(plugin)
}

/** Asserts that an app assembled like this does not come up. */
async function refuses(t: TestContext, assemble: (app: FastifyInstance) => Promise<void>, why: RegExp): Promise<void> {
  await assert.rejects(armouredApp(t, {}, assemble), why)
}

test('a route behind no door stops the boot and is named', { timeout }, async (t) => {
  await refuses(
    t,
    async (app) => {
      await armour(app)
      await app.register(bare())
    },
    /GET \/bare stands behind no door/,
  )
})

test('a route opened before the guard stops the boot', { timeout }, async (t) => {
  await refuses(
    t,
    async (app) => {
      app.get('/early', text, () => 'open to all')
      await armour(app)
    },
    /before the guard/,
  )
})

test('a route added to the root after everything else stops the boot', { timeout }, async (t) => {
  await refuses(
    t,
    async (app) => {
      await inOrder(app, app.config)
      app.get('/late', text, () => 'open to all')
    },
    /GET \/late stands behind no door/,
  )
})

const missing = (name: string) => new RegExp(`dependency '${name}'`)
const twoDoors = (app: FastifyInstance, first: Door, second: Door) => app.register(behind([first, second], needsGate))

test('a room behind the wrong door stops the boot', { timeout }, async (t) => {
  await refuses(
    t,
    async (app) => {
      await armour(app)
      await app.register(behind(anyone, needsCaller))
    },
    missing('doors/caller'),
  )
})

test('the MCP room behind the open door stops the boot', { timeout }, async (t) => {
  await refuses(
    t,
    async (app) => {
      await armour(app)
      await app.register(behind(anyone, mcp))
    },
    missing('doors/caller'),
  )
})

test('the health room behind the locked door stops the boot', { timeout }, async (t) => {
  await refuses(
    t,
    async (app) => {
      await armour(app)
      await app.register(behind(caller, health))
    },
    missing('doors/anyone'),
  )
})

test('a forgotten gate, and a gate in front of the door it needs, stop the boot', { timeout }, async (t) => {
  await refuses(
    t,
    async (app) => {
      await armour(app)
      await app.register(behind(caller, needsGate))
    },
    missing('doors/peer-gate'),
  )
  await refuses(
    t,
    async (app) => {
      await armour(app)
      await twoDoors(app, gate, caller)
    },
    missing('doors/caller'),
  )
})

test('the right door in a sibling scope does not help', { timeout }, async (t) => {
  await refuses(
    t,
    async (app) => {
      await armour(app)
      await app.register(behind(caller))
      await app.register(behind(anyone, needsCaller))
    },
    missing('doors/caller'),
  )
})

test('doors without armour, and armour without what it stands on, stop the boot', { timeout }, async (t) => {
  await refuses(
    t,
    async (app) => {
      await app.register(behind(caller, needsCaller))
    },
    missing('armour/guard'),
  )
  await refuses(
    t,
    async (app) => {
      await app.register(network)
    },
    missing('armour/errors'),
  )
  await refuses(
    t,
    async (app) => {
      await app.register(errors)
      await app.register(guard)
    },
    missing('armour/network'),
  )
})

test('the door without a token stops the boot unless the configuration asked for it', { timeout }, async (t) => {
  await refuses(
    t,
    async (app) => {
      await armour(app)
      await app.register(behind(loopbackCaller, needsCaller))
    },
    /--no-auth/,
  )
})

test('a JSON route without a response schema stops the boot', { timeout }, async (t) => {
  await refuses(
    t,
    async (app) => {
      await armour(app)
      await app.register(behind(anyone, async (scope) => void scope.get('/loose', () => ({ anything: true }))))
    },
    /GET \/loose answers JSON without a response schema/,
  )
})

test('the right order boots, and the table of routes tells who stands where', { timeout }, async (t) => {
  const { app } = await armouredApp(t, {}, async (instance, config) => {
    await inOrder(instance, config)
    await instance.register(behind([caller, gate], needsGate))
  })
  const rows = app.routeTable.map(
    ({ method, path, doors, answers }) => `${method} ${path} ${doors.join('>')} ${answers}`,
  )
  assert.deepEqual(rows, [
    'GET /open anyone json',
    'GET /broken anyone json',
    'POST /mcp caller json-rpc',
    'DELETE /mcp caller json-rpc',
    'GET /whoami caller json',
    'GET /bare caller>peer-gate text',
  ])
})
