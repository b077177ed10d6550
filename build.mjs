// The production bundle: everything but native modules, split, so that rare paths load on first use. Each build has a folder
// of its own, named by its content, so that a gateway that runs keeps finding its own files; `main.js` leads to the newest.
// Usage: node build.mjs [--outdir dist] [--entry name=file.ts]... Types are checked by `npm run types`, not here.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'

/** Folders that stay, the new one included; the same content is the same folder. One is some 7 MB. */
const buildsKept = 8
const buildName = /^[0-9a-f]{16}$/

const root = fileURLToPath(new URL('.', import.meta.url))
const { values } = parseArgs({
  options: { outdir: { type: 'string', default: 'dist' }, entry: { type: 'string', multiple: true, default: [] } },
})
const outdir = resolve(root, values.outdir)

// CommonJS packages inside the bundle ask for Node's own modules with require(), and a few for their own folder.
const commonJsGlobals = [
  `import { createRequire as __createRequire } from 'node:module'`,
  `const require = __createRequire(import.meta.url)`,
  `const __dirname = import.meta.dirname`,
  `const __filename = import.meta.filename`,
].join('\n')

const started = { main: 'src/main.ts', ...Object.fromEntries(values.entry.map((entry) => entry.split('='))) }

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: { ...started, 'search-worker': 'src/search/worker.ts' },
  outdir,
  write: false,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.18',
  // Native modules, and the authorization server: it stores its models under the names of their classes, which would be lost.
  external: ['better-sqlite3', 'sqlite-vec', '@node-rs/argon2', 'oidc-provider'],
  banner: { js: commonJsGlobals },
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
})

const files = outputFiles
  .map(({ path, contents }) => ({ name: relative(outdir, path), contents }))
  .toSorted((one, other) => (one.name < other.name ? -1 : 1))

function nameOf() {
  const hash = createHash('sha256')
  for (const { name, contents } of files) hash.update(`${name}\0${contents.length}\0`).update(contents)
  return hash.digest('hex').slice(0, 16)
}

/** A file or folder appears whole or not at all, whatever reads, builds or breaks off meanwhile. */
function place(path, write) {
  const draft = join(outdir, `.draft-${process.pid}`)
  try {
    write(draft)
    renameSync(draft, path)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function placeBuild(folder) {
  try {
    place(folder, (draft) => {
      for (const { name, contents } of files) {
        mkdirSync(dirname(join(draft, name)), { recursive: true })
        writeFileSync(join(draft, name), contents)
      }
    })
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'EPERM') throw error
    // This very build is there already; it is the newest again.
    const now = new Date()
    utimesSync(folder, now, now)
  }
}

/** What no gateway that still runs is likely to come from; files beside the folders are of builds before there were any, drafts of builds that broke off. */
function removeOld(current) {
  const ages = readdirSync(outdir)
    .filter((name) => name !== current && !(name.replace(/\.js$/, '') in started))
    .filter((name) => buildName.test(name) || name.endsWith('.js') || name.startsWith('.draft-'))
    .map((name) => ({ name, at: statSync(join(outdir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
  const folders = ages.filter(({ name }) => buildName.test(name)).toSorted((one, other) => other.at - one.at)
  const oldest = folders[buildsKept - 2]
  if (oldest === undefined) return
  for (const { name, at } of ages)
    if (name !== oldest.name && at <= oldest.at) rmSync(join(outdir, name), { recursive: true, force: true })
}

/** What is compiled is kept beside the build, so that only the first start compiles it; where that cannot be written, or Node is too old, each does. */
const leadTo = (name) => `import module from 'node:module'
module.enableCompileCache?.(new URL('./${current}/cache', import.meta.url).pathname)
await import('./${current}/${name}.js')
`

const current = nameOf()
mkdirSync(outdir, { recursive: true })
placeBuild(join(outdir, current))
for (const name of Object.keys(started))
  place(join(outdir, `${name}.js`), (draft) => writeFileSync(draft, leadTo(name)))
removeOld(current)
