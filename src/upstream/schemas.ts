// The input schema of an external tool as it is listed. It stays as its owner wrote it, with two exceptions: model providers
// refuse a whole request for one tool whose root is not a plain object, and headers are a matter between us and the server.
import { canonicalJson, isRecord } from '../lib/json.ts'

type Json = Readonly<Record<string, unknown>>

/** Deeper than anybody means it; what is deeper is left as it is, since nothing of ours looks there. */
const DEPTH_MAX = 64
/** Schemas that one root may be combined from: references can make few bytes stand for very many. */
const SCHEMAS_MAX = 1_000
const COMBINATORS = ['oneOf', 'anyOf', 'allOf'] as const
/** Keywords that a root may not have beside the combinators, since providers refuse them there too. */
const ROOT_ONLY_BELOW = ['not', 'if', 'then', 'else', 'enum', 'const', '$ref', 'dependentSchemas'] as const
/** Kept from the root of a flattened schema. */
const ROOT_KEPT = ['$schema', '$id', 'title', 'description', '$defs', 'definitions', 'additionalProperties'] as const
const CHOICES_SHOWN_MAX = 8
const HEADER = 'x-mcp-header'

/**
 * The very object that came in where there is nothing to change.
 * @returns root `type: object` without a combinator; no `x-mcp-header` anywhere
 */
export function listedSchema(schema: unknown): Json {
  if (!isRecord(schema)) return { type: 'object' }
  const shown = isPlainRoot(schema) ? schema : flattened(schema)
  return withoutHeaders(shown, 0)
}

function isPlainRoot(schema: Json): boolean {
  return (
    schema['type'] === 'object' &&
    ![...COMBINATORS, ...ROOT_ONLY_BELOW].some((keyword) => Object.hasOwn(schema, keyword))
  )
}

/** What may be given, and what has to be in any case. */
interface Fields {
  readonly properties: ReadonlyMap<string, readonly unknown[]>
  readonly required: ReadonlySet<string>
}

const walkIn = (root: Json): Walk => ({ root, left: SCHEMAS_MAX })

const NOTHING: Fields = { properties: new Map(), required: new Set() }

function flattened(schema: Json): Json {
  const { properties, required } = fieldsOf(schema, walkIn(schema))
  const choice = choiceOf(schema)
  const kept = Object.fromEntries(ROOT_KEPT.flatMap((key) => (Object.hasOwn(schema, key) ? [[key, schema[key]]] : [])))
  // Branches that close themselves would close each other's fields out.
  if (kept['additionalProperties'] === false) delete kept['additionalProperties']
  const description = [schema['description'], choice].filter((text) => typeof text === 'string').join(' ')
  return {
    ...kept,
    ...(description === '' ? {} : { description }),
    type: 'object',
    properties: Object.fromEntries(Array.from(properties, ([name, schemas]) => [name, oneSchema(schemas)])),
    ...(required.size === 0 ? {} : { required: [...required] }),
  }
}

/** One field that several branches describe: as one of them, or as any of those that differ. */
function oneSchema(schemas: readonly unknown[]): unknown {
  const different = [...new Map(schemas.map((schema) => [canonicalJson(schema), schema])).values()]
  return different.length === 1 ? different[0] : { anyOf: different }
}

/** One walk through a root: references are followed in `root`, and at most so many schemas are looked at. */
interface Walk {
  readonly root: Json
  left: number
}

/** The fields of a schema and of everything that its root is combined from. */
function fieldsOf(written: unknown, walk: Walk): Fields {
  if (walk.left-- <= 0) return NOTHING
  const schema = resolved(written, walk)
  if (schema === undefined) return NOTHING
  const own: Fields = {
    properties: new Map(
      Object.entries(isRecord(schema['properties']) ? schema['properties'] : {}).map(([name, value]) => [
        name,
        [value],
      ]),
    ),
    required: new Set(namesIn(schema['required'])),
  }
  const branches = (key: string): Fields[] => {
    const list = schema[key]
    return Array.isArray(list) ? list.map((branch) => fieldsOf(branch, walk)) : []
  }
  const all = [own, ...branches('allOf')]
  const either = [branches('oneOf'), branches('anyOf'), conditional(schema, walk)].filter(({ length }) => length > 0)
  return {
    properties: mergedProperties([...all, ...either.flat()]),
    required: new Set([
      ...all.flatMap(({ required }) => [...required]),
      ...either.flatMap((group) => common(group.map(({ required }) => required))),
    ]),
  }
}

function conditional(schema: Json, walk: Walk): Fields[] {
  if (!Object.hasOwn(schema, 'if')) return []
  return [schema['then'], schema['else']].map((branch) => fieldsOf(branch, walk))
}

function mergedProperties(parts: readonly Fields[]): Map<string, readonly unknown[]> {
  const merged = new Map<string, readonly unknown[]>()
  for (const { properties } of parts)
    for (const [name, schemas] of properties) merged.set(name, [...(merged.get(name) ?? []), ...schemas])
  return merged
}

function common([first, ...others]: readonly ReadonlySet<string>[]): string[] {
  return [...(first ?? [])].filter((name) => others.every((set) => set.has(name)))
}

const namesIn = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((name): name is string => typeof name === 'string') : []

/** Follows references inside the document (`#/$defs/…`); anything else describes no field. */
function resolved(written: unknown, walk: Walk): Json | undefined {
  let schema = written
  while (isRecord(schema) && typeof schema['$ref'] === 'string') {
    if (walk.left-- <= 0 || !schema['$ref'].startsWith('#/')) return undefined
    schema = pointed(walk.root, schema['$ref'])
  }
  return isRecord(schema) ? schema : undefined
}

/** RFC 6901, as a fragment. */
function pointed(root: Json, pointer: string): unknown {
  let target: unknown = root
  for (const part of pointer.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    target = isRecord(target) && Object.hasOwn(target, key) ? target[key] : undefined
  }
  return target
}

/** What the combinator said and the flat form cannot: which fields go together. */
function choiceOf(schema: Json): string | undefined {
  const list = schema['oneOf'] ?? schema['anyOf']
  if (!Array.isArray(list) || list.length < 2) return undefined
  const sets = list.map((branch) => [...fieldsOf(branch, walkIn(schema)).required].toSorted().join(' + '))
  const different = [...new Set(sets)].filter((names) => names !== '').slice(0, CHOICES_SHOWN_MAX)
  return different.length < 2 ? undefined : `Give one of: ${different.join('; ')}.`
}

/** Words whose value is data, not a schema. */
const DATA = new Set(['default', 'const', 'enum', 'examples', 'required'])
/** Words whose value is a map from names to schemas. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

function withoutHeaders(schema: Json, depth: number): Json {
  return mapSchema(schema, depth, (key) => key !== HEADER)
}

/** The same object where nothing in it changes. */
function mapSchema(schema: Json, depth: number, keep: (keyword: string) => boolean): Json {
  if (depth > DEPTH_MAX) return schema
  const deeper = (value: unknown): unknown => {
    if (Array.isArray(value)) return sameOr(value, value.map(deeper))
    return isRecord(value) ? mapSchema(value, depth + 1, keep) : value
  }
  let isSame = true
  const entries: [string, unknown][] = []
  for (const [key, value] of Object.entries(schema)) {
    if (!keep(key)) {
      isSame = false
      continue
    }
    const mapped = DATA.has(key) ? value : MAPS.has(key) && isRecord(value) ? mapValues(value, deeper) : deeper(value)
    if (mapped !== value) isSame = false
    entries.push([key, mapped])
  }
  return isSame ? schema : Object.fromEntries(entries)
}

function mapValues(map: Json, change: (value: unknown) => unknown): Json {
  const entries = Object.entries(map).map(([name, value]) => [name, change(value)] as const)
  return entries.every(([name, value]) => map[name] === value) ? map : Object.fromEntries(entries)
}

const sameOr = (before: readonly unknown[], after: readonly unknown[]): readonly unknown[] =>
  after.every((value, index) => value === before[index]) ? before : after
