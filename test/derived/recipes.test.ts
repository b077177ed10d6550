// Follows the README: each "Add a …" recipe is carried out in a copy of the project, exactly as it is printed there, and must
// derive what it promises.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { before, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const timeout = 180_000
const root = fileURLToPath(new URL('../..', import.meta.url))
const copied = [
  'src',
  'plugins',
  'migrations',
  'docs',
  'package.json',
  'tsconfig.json',
  'fast-drizzle.mjs',
  'README.md',
]

interface Block {
  readonly language: string
  readonly path: string
  readonly text: string
}

let copy = ''

/** The fenced blocks of README.md that name a file. */
function recipeBlocks(): Block[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  return [...readme.matchAll(/^```(ts|diff) (\S+)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', path = '', text = '']) => ({ language, path, text }),
  )
}

/** Applies what a block says: a new file, or lines added and replaced beside the context lines that are shown. */
function apply(folder: string, { language, path, text }: Block): void {
  const file = join(folder, path)
  if (language === 'ts') {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return
  }
  const lines = readFileSync(file, 'utf8').split('\n')
  let at = 0
  for (const line of text.trimEnd().split('\n')) {
    const content = line.slice(1)
    if (line.startsWith('+')) lines.splice(at++, 0, content)
    else {
      const found = lines.indexOf(content, at)
      assert.notEqual(found, -1, `${path} has no line ${JSON.stringify(content)}`)
      if (line.startsWith('-')) lines.splice(found, 1)
      at = line.startsWith('-') ? found : found + 1
    }
  }
  writeFileSync(file, lines.join('\n'))
}

function crow(...args: string[]) {
  const run = spawnSync(process.execPath, ['--import', './fast-drizzle.mjs', 'src/main.ts', ...args], {
    cwd: copy,
    encoding: 'utf8',
    env: { HOME: copy, PATH: '/usr/bin:/bin' },
    timeout: 60_000,
  })
  assert.equal(run.status, 0, run.stderr)
  return run.stdout
}

before(() => {
  copy = mkdtempSync(join(tmpdir(), 'crow-recipes-'))
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
  for (const name of copied) cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const block of recipeBlocks()) apply(copy, block)
})

test('the README has a recipe for a tool, a server, a plugin and a client', { timeout }, () => {
  const paths = recipeBlocks().map(({ path }) => path)
  for (const part of ['src/servers/memory/tools/', 'src/servers/index.ts', 'plugins/', 'src/clients/table.ts']) {
    assert.ok(
      paths.some((path) => path.startsWith(part)),
      part,
    )
  }
})

test('what the recipes add has no type errors', { timeout }, () => {
  const run = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', '.'], { cwd: copy, encoding: 'utf8' })
  assert.deepEqual([run.stdout, run.status], ['', 0])
})

test('a tool in one file is listed, called and documented', { timeout }, () => {
  const [memory] = JSON.parse(crow('tools', 'memory', '--json'))
  assert.ok(memory.tools.some(({ name }: { name: string }) => name === 'memory_age'))
  crow('call', 'memory', 'store_memory', '--content', 'Bread is baked on Fridays.')
  assert.match(crow('call', 'memory', 'memory_age', '--id', '1'), /^0 days$/m)
  crow('docs')
  assert.match(readFileSync(join(copy, 'docs', 'TOOLS.md'), 'utf8'), /^### memory_age$/m)
})

test('a server in one folder is mounted under its own name', { timeout }, () => {
  const [dice] = JSON.parse(crow('tools', 'dice', '--json'))
  assert.deepEqual(dice.paths, ['/dice/mcp'])
  assert.match(crow('call', 'dice', 'roll', '--sides', '2'), /^[12]$/m)
})

test('a plugin behind a door is in the table of routes', { timeout }, () => {
  crow('docs')
  const routes = readFileSync(join(copy, 'docs', 'ROUTES.md'), 'utf8')
  assert.match(routes, /\| GET \| `\/version` \| anyone \|/)
  assert.match(routes, /\| POST \| `\/dice\/mcp` \| caller \|/)
})

test('a client in one row has its configuration written', { timeout }, () => {
  crow('mcp-config', 'lm-studio', '--write')
  const file = JSON.parse(readFileSync(join(copy, '.lmstudio', 'mcp.json'), 'utf8'))
  assert.match(file.mcpServers.crow.headers.Authorization, /^Bearer crow_local_/)
})
