// Reads our own sources for the style tests: which files there are, what each imports, and its syntax tree.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor, type Program } from 'oxc-parser'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export interface Import {
  /** The specifier as written. */
  from: string
  /** Path from the root with forward slashes, for a relative import. */
  file: string | undefined
  typeOnly: boolean
  /** Written as `import()`, so loaded on first use. */
  lazy: boolean
}

export interface SourceFile {
  /** Path from the root with forward slashes. */
  path: string
  text: string
  lines: number
  program: Program
  imports: readonly Import[]
}

/** Every TypeScript file below the given folders of the project. */
export function sources(...folders: string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('node_modules'))
      .map((entry) => read(join(entry.parentPath, entry.name))),
  )
}

/** 1-based line of an offset. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

function read(absolute: string): SourceFile {
  const text = readFileSync(absolute, 'utf8')
  const { program, module, errors } = parseSync(absolute, text)
  if (errors.length > 0) throw new Error(`${absolute}: ${errors[0]?.message}`)
  const imports: Import[] = module.staticImports.map((entry) => {
    const typeOnly =
      /^import\s+type\b/.test(text.slice(entry.start, entry.end)) ||
      (entry.entries.length > 0 && entry.entries.every((name) => name.isType))
    return locate(absolute, entry.moduleRequest.value, typeOnly, false)
  })
  for (const entry of module.staticExports.flatMap((found) => found.entries)) {
    if (entry.moduleRequest) imports.push(locate(absolute, entry.moduleRequest.value, entry.isType, false))
  }
  new Visitor({
    ImportExpression(node) {
      if (node.source.type === 'Literal' && typeof node.source.value === 'string') {
        imports.push(locate(absolute, node.source.value, false, true))
      }
    },
  }).visit(program)
  return { path: fromRoot(absolute), text, lines: text.split('\n').length - 1, program, imports }
}

function locate(importer: string, from: string, typeOnly: boolean, lazy: boolean): Import {
  const file = from.startsWith('.') ? fromRoot(resolve(dirname(importer), from)) : undefined
  return { from, file, typeOnly, lazy }
}

function fromRoot(absolute: string): string {
  return relative(ROOT, absolute).split(sep).join('/')
}
