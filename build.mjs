// The production bundle: everything but native modules in one folder, split, so that rare paths load on first use.
// Usage: node build.mjs [--outdir dist] [--entry name=file.ts]... Types are checked by `npm run types`, not here.
import { readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'

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

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'src/main.ts',
    'search-worker': 'src/search/worker.ts',
    ...Object.fromEntries(values.entry.map((entry) => entry.split('='))),
  },
  outdir,
  metafile: true,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.18',
  external: ['better-sqlite3', 'sqlite-vec', '@node-rs/argon2'],
  banner: { js: commonJsGlobals },
  minifySyntax: true,
  // The authorization server stores its models under the names of their classes.
  keepNames: true,
  legalComments: 'none',
  logLevel: 'warning',
})

// Files of an earlier build go after the new ones are there: a gateway that runs meanwhile keeps what it may still load.
const written = new Set(Object.keys(metafile.outputs).map((path) => resolve(root, path)))
for (const name of readdirSync(outdir, { recursive: true })) {
  const path = join(outdir, String(name))
  if (path.endsWith('.js') && !written.has(path)) rmSync(path)
}
