// Loads drizzle-orm as CommonJS. Its package.json is 179 KB and Node reads it again for each of its ES modules, which costs
// every process 360 ms and 140 MB; its CommonJS twins are the same code. For development and tests:
// `node --import ./fast-drizzle.mjs …`. The bundle does not need it.
import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'

const root = new URL('./node_modules/drizzle-orm/', import.meta.url)

/** The CommonJS file behind `drizzle-orm` or `drizzle-orm/<path>`, if there is one. */
function twinOf(path) {
  const candidates = path === undefined ? ['index.cjs'] : [`${path}.cjs`, `${path}/index.cjs`]
  return candidates.map((file) => new URL(file, root)).find((url) => existsSync(url))
}

registerHooks({
  resolve(specifier, context, nextResolve) {
    const match = /^drizzle-orm(?:\/(.+))?$/.exec(specifier)
    const twin = match === null ? undefined : twinOf(match[1])
    if (twin === undefined) return nextResolve(specifier, context)
    return { url: twin.href, format: 'commonjs', shortCircuit: true }
  },
})
