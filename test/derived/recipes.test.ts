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

/** The runs of lines of a diff that start with the same sign. */
function runsOf(diff: string): { sign: string; lines: string[] }[] {
  const runs: { sign: string; lines: string[] }[] = []
  for (const line of diff.trimEnd().split('\n')) {
    const last = runs.at(-1)
    if (last?.sign === line[0]) last?.lines.push(line.slice(1))
    else runs.push({ sign: line[0] ?? '', lines: [line.slice(1)] })
  }
  return runs
}

/** Where a run of lines stands in others, or -1. */
function indexOfRun(lines: readonly string[], run: readonly string[]): number {
  return lines.findIndex((_, start) => run.every((line, offset) => lines[start + offset] === line))
}

/** Applies what a block says: a new file, or lines added beside the context that is shown. What is there already stays. */
function apply(folder: string, { language, path, text }: Block): void {
  const file = join(folder, path)
  if (language === 'ts') {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return
  }
  const lines = readFileSync(file, 'utf8').split('\n')
  let at = 0
  for (const run of runsOf(text)) {
    assert.match(run.sign, /[+ ]/, `the recipe for ${path} only adds`)
    if (run.sign === ' ') {
      for (const line of run.lines) {
        at = lines.indexOf(line, at) + 1
        assert.notEqual(at, 0, `${path} has no line ${JSON.stringify(line)}`)
      }
    } else if (indexOfRun(lines, run.lines) === -1) {
      lines.splice(at, 0, ...run.lines)
      at += run.lines.length
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

test('the README has a recipe for a tool, a server, a plugin, a client and an integration', { timeout }, () => {
  const paths = recipeBlocks().map(({ path }) => path)
  const parts =
    'src/servers/memory/tools/ src/servers/index.ts plugins/ src/clients/table.ts src/upstream/integrations.ts'
  for (const part of parts.split(' ')) {
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
  const [clock] = JSON.parse(crow('tools', 'clock', '--json'))
  assert.deepEqual(clock.paths, ['/clock/mcp'])
  assert.match(crow('call', 'clock', 'what_time'), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/m)
})

test('a plugin behind a door is in the table of routes', { timeout }, () => {
  crow('docs')
  const routes = readFileSync(join(copy, 'docs', 'ROUTES.md'), 'utf8')
  assert.match(routes, /\| GET \| `\/version` \| anyone \|/)
  assert.match(routes, /\| POST \| `\/clock\/mcp` \| caller → peer-gate \|/)
})

test('a client in one row has its configuration written', { timeout }, () => {
  crow('mcp-config', 'lm-studio', '--write')
  const file = JSON.parse(readFileSync(join(copy, '.lmstudio', 'mcp.json'), 'utf8'))
  assert.match(file.mcpServers.crow.headers.Authorization, /^Bearer crow_local_/)
})

test('an integration in one row is known by its name, and added to what is served', { timeout }, () => {
  assert.match(crow('servers', 'list', '--available'), /^weather +no +WEATHER_API_KEY +Weather and warnings\.$/m)
  crow('servers', 'add', 'weather', '--env', 'WEATHER_API_KEY=k', '--accept-unverified', '--yes')
  assert.match(crow('servers', 'list'), /^weather +stdio +on +- +integration +npx -y mcp-server-weather$/m)
})
