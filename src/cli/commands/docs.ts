// `crow docs`: writes the generated pages of docs/, or checks that they are fresh.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '../../app.ts'
import { loadConfig } from '../../config.ts'
import { processLog } from '../../gateway.ts'
import { createFolder } from '../../lib/folder.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { declaredCatalog } from '../declared.ts'
import { configPage } from '../docs/config-page.ts'
import { errorsPage } from '../docs/errors-page.ts'
import { type RouteFacts, routesPage } from '../docs/routes-page.ts'
import { toolsPage } from '../docs/tools-page.ts'
import { exitCodes } from '../exit-codes.ts'
import { projectRoot } from '../launch.ts'
import { absolutePath } from '../setup.ts'

export const docs = defineCommand({
  name: 'docs',
  usage: '[--check] [--out FOLDER]',
  summary: 'write or check the generated pages of docs/',
  options: {
    json: sharedOptions.json,
    check: { type: 'flag', help: 'write nothing; exit code 1 when a page is stale' },
    out: { type: 'text', value: 'FOLDER', help: 'another folder than docs/ of the checkout' },
  },
  async run(terminal, { options }) {
    const folder = options.out === undefined ? join(projectRoot(), 'docs') : absolutePath(options.out)
    const pages = await generatePages()
    const stale: string[] = []
    for (const [name, text] of Object.entries(pages)) {
      const path = join(folder, name)
      if ((await textOf(path)) === text) continue
      stale.push(name)
      if (options.check === true) continue
      createFolder(folder)
      await writeFile(path, text)
    }
    const verb = options.check === true ? 'stale' : 'written'
    if (options.json === true) terminal.out(JSON.stringify({ folder, [verb]: stale }))
    else if (stale.length === 0) terminal.out('The generated pages are fresh.')
    else for (const name of stale) terminal.out(`${verb}: ${join(folder, name)}`)
    if (options.check === true && stale.length > 0) {
      terminal.err('crow: write them anew with npm run docs.')
      return exitCodes.failure
    }
    return exitCodes.ok
  },
})

/** The text of every generated page, by file name. */
export async function generatePages(): Promise<Readonly<Record<string, string>>> {
  return {
    'TOOLS.md': toolsPage(declaredCatalog()),
    'ROUTES.md': routesPage(await collectRoutes()),
    'ERRORS.md': errorsPage(),
    'CONFIG.md': configPage(),
  }
}

/** Builds the app on an empty folder of its own, listens nowhere, and asks the guard. */
async function collectRoutes(): Promise<readonly RouteFacts[]> {
  const folder = await mkdtemp(join(tmpdir(), 'crow-docs-'))
  try {
    const config = loadConfig({ CROW_DATA_DIR: folder })
    const app = await buildApp(config, { log: processLog({ logLevel: 'warn' }) })
    const routes = app.routeTable
    await app.close()
    return routes
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
