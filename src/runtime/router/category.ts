// One category tool, `{ action, params }`: which tool of which server a call means, and the parameters it gets. What is
// forgiven here is spelling, never permission: the tool's own steps follow, once.
import { isRecord } from '../../lib/json.ts'
import { nearest, nearestOf } from '../../lib/nearest.ts'
import type { CompiledGroup, CompiledServer, CompiledTool, Resolved } from '../compiled.ts'
import type { Caller } from '../context.ts'
import { fault, type ToolFault } from '../fault.ts'
import { saidName } from '../said-name.ts'
import { jsonIn } from '../schema/parser.ts'
import { shortName } from './notation.ts'
import { suggestionFor, type Guess } from './teach.ts'

/** More of a name is not compared. */
const COMPARED_CHARS_MAX = 64
const NAMES_NEAR = 3
/** A longer text is no JSON object that anybody meant as parameters; what a tool takes is bounded by its own schema. */
const ACTION_CHARS_MAX = 256

/** What a router knows of its categories, for a call that names the wrong one. */
export interface Category extends CompiledGroup {
  /** Id of the server, or `tools`. */
  readonly id: string
  readonly aliases: readonly string[]
  readonly summary: string
  /** What this caller may run, sorted by name. */
  usable(caller: Caller): readonly CompiledTool[]
  findAction(action: string, caller: Caller): CompiledTool | undefined
}

export interface CategorySpec {
  readonly id: string
  readonly publicName: string
  readonly summary: string
  readonly aliases: readonly string[]
  readonly servers: readonly CompiledServer[]
  /** All categories of the router, this one included; asked when a call is wrong. */
  readonly others: () => readonly Category[]
  /** What to say when there is nothing to call at all. */
  readonly missing?: (given: Readonly<Record<string, unknown>>) => string
}

/** Compiles the category of one server, or the one of everything foreign. */
export function compileCategory(spec: CategorySpec): Category {
  const { id, publicName, servers } = spec
  const forgiven = forgivenNames(id, servers)
  const findAction = (action: string, caller: Caller): CompiledTool | undefined => {
    for (const server of servers) {
      const tool = server.find(action, caller)
      if (tool !== undefined) return tool
    }
    return action.length > ACTION_CHARS_MAX ? undefined : forgiven.get(folded(action))
  }
  const usable = (caller: Caller): readonly CompiledTool[] => servers.flatMap((server) => server.usable(caller))
  const find = (params: unknown, caller: Caller): CompiledTool | undefined => {
    const action = actionIn(params)
    return action === undefined ? undefined : findAction(action, caller)
  }
  const category: Category = Object.freeze({
    id,
    publicName,
    summary: spec.summary,
    aliases: spec.aliases,
    usable,
    findAction,
    find,
    resolve(params: unknown, caller: Caller): Resolved | ToolFault {
      if (params !== undefined && params !== null && !isRecord(params))
        return fault('VALIDATION_ERROR', 'The arguments must be an object with action and params.')
      const missing =
        spec.missing !== undefined && isRecord(params) ? missingIn(params, spec.missing, usable(caller)) : undefined
      if (missing !== undefined) return fault('NOT_FOUND', missing, { recovery: 'Use the other tools.' })
      const action = actionIn(params)
      if (action === undefined) return noAction(params)
      const tool = findAction(action, caller)
      if (tool === undefined) return unknownAction(category, spec.others(), action, caller)
      const given = gathered(params)
      return typeof given === 'string' ? fault('VALIDATION_ERROR', given) : { tool, params: given }
    },
    teach: (params: unknown, caller: Caller) => lessonOf(category, spec.others(), params, caller),
  })
  return category
}

/** An instance is never the integrations of this one, so naming one is no reason to call those. */
function missingIn(
  given: Readonly<Record<string, unknown>>,
  say: (given: Readonly<Record<string, unknown>>) => string,
  usable: readonly CompiledTool[],
): string | undefined {
  return namesInstance(given) || usable.length === 0 ? say(given) : undefined
}

/** `null` and the empty text name none: clients fill in what they leave out. */
export function namesInstance({ instance_id: id }: Readonly<Record<string, unknown>>): boolean {
  return id !== undefined && id !== null && id !== ''
}

/** A model that leaves out `params`, or writes it as text, meant what it wrote. */
function gathered(params: unknown): unknown {
  if (!isRecord(params)) return undefined
  const { action: _action, params: inner, ...beside } = params
  // A foreign tool would be sent it, and may refuse what it does not know.
  if (!namesInstance(beside)) delete beside['instance_id']
  const inside = typeof inner === 'string' ? written(inner) : (inner ?? undefined)
  if (inside !== undefined && !isRecord(inside)) return 'params: must be an object.'
  const names = Object.keys(beside)
  if (names.length === 0) return inside
  const twice = names.find((name) => inside !== undefined && Object.hasOwn(inside, name))
  if (twice !== undefined) return `${saidName(twice)}: is given twice, in params and beside it.`
  return { ...beside, ...inside }
}

/** Nothing, `null` and the empty text are no parameters; `{}` has none. */
const written = (text: string): unknown => (text.trim() === '' ? undefined : (jsonIn(text) ?? undefined))

function actionIn(params: unknown): string | undefined {
  if (!isRecord(params) || !Object.hasOwn(params, 'action')) return undefined
  const { action } = params
  return typeof action === 'string' && action !== '' ? action : undefined
}

const folded = (action: string): string => action.trim().toLowerCase().replaceAll(/[-. ]/g, '_')

/** Our own names in every spelling that is forgiven. Foreign names may differ in case only, so they have to match exactly. */
function forgivenNames(id: string, servers: readonly CompiledServer[]): ReadonlyMap<string, CompiledTool> {
  const names = new Map<string, CompiledTool>()
  const tools = servers.flatMap((server) => server.tools)
  const claim = (name: string, tool: CompiledTool): void => {
    const key = folded(name)
    if (!names.has(key)) names.set(key, tool)
  }
  for (const tool of tools) for (const name of [tool.name, tool.publicName]) claim(name, tool)
  for (const tool of tools) claim(shortName(tool.name, id), tool)
  return names
}

function noAction(params: unknown): ToolFault {
  const given = isRecord(params) ? params['action'] : undefined
  return given === undefined || given === null || given === ''
    ? fault('MISSING_DISCRIMINATOR', 'action: is required.')
    : fault('INVALID_DISCRIMINATOR', 'action: must be a string.')
}

function unknownAction(category: Category, all: readonly Category[], action: string, caller: Caller): ToolFault {
  const name = saidName(action)
  const elsewhere = all.find((other) => other !== category && isUsable(other, action, caller))
  if (elsewhere !== undefined) return fault('UNKNOWN_ACTION', `"${name}" is an action of ${elsewhere.publicName}.`)
  const near = nearestOf(name, namesOf(category, caller), NAMES_NEAR)
  const hint = near.length === 0 ? '' : ` Nearest: ${near.join(', ')}.`
  return fault('UNKNOWN_ACTION', `There is no action "${name}".${hint}`)
}

const namesOf = (category: Category, caller: Caller): string[] =>
  category.usable(caller).map(({ name }) => shortName(name, category.id))

function isUsable(category: Category, action: string, caller: Caller): boolean {
  const tool = category.findAction(action, caller)
  return tool !== undefined && category.usable(caller).includes(tool)
}

/** The call that was most likely meant: the named action, one of that name elsewhere, or the nearest by name. */
function lessonOf(category: Category, all: readonly Category[], params: unknown, caller: Caller): string | undefined {
  const action = actionIn(params) ?? ''
  const places = [category, ...all.filter((other) => other !== category)]
  const home = places.find((place) => isUsable(place, action, caller))
  const given = gathered(params)
  const guess =
    home !== undefined
      ? toolAt(home, action, caller)
      : ((action === '' ? fittingTool(category, given, caller) : undefined) ?? nearestTool(places, action, caller))
  return guess === undefined ? undefined : suggestionFor(guess, given)
}

function toolAt(place: Category, action: string, caller: Caller): Guess | undefined {
  const tool = place.findAction(action, caller)
  return tool === undefined ? undefined : { tool, publicName: place.publicName, action: shortName(tool.name, place.id) }
}

/** Where no action is named: the one that takes what was given and lacks least; of several, one that only reads. */
function fittingTool(category: Category, given: unknown, caller: Caller): Guess | undefined {
  const names = isRecord(given) ? Object.keys(given) : []
  const costOf = ({ effect, oneOf, shape: { fields } }: CompiledTool): number => {
    const strange = names.filter((name) => !fields.some((field) => field.name === name)).length
    const missing = fields.filter(({ name, required }) => required && !names.includes(name)).length
    const isChoiceOpen = oneOf !== undefined && !oneOf.some((name) => names.includes(name))
    return strange * 4 + missing * 2 + (isChoiceOpen ? 2 : 0) + (effect === 'read' ? 0 : 1)
  }
  const own = category.usable(caller).filter(({ isForeign }) => !isForeign)
  const [best] = own.map((tool) => ({ tool, cost: costOf(tool) })).toSorted((one, other) => one.cost - other.cost)
  if (best === undefined) return undefined
  const { tool } = best
  return { tool, publicName: category.publicName, action: shortName(tool.name, category.id) }
}

/** In the category that was called if anything there is near enough, else in any other, else the first action there is. */
function nearestTool(places: readonly Category[], action: string, caller: Caller): Guess | undefined {
  for (const place of places) {
    const near = nearest(shortName(folded(action).replace(/^crow_/, ''), place.id), namesOf(place, caller))
    if (near !== undefined) return toolAt(place, near, caller)
  }
  const place = places.find((each) => each.usable(caller).length > 0)
  const [first] = place === undefined ? [] : nearestOf(action.slice(0, COMPARED_CHARS_MAX), namesOf(place, caller), 1)
  return place === undefined || first === undefined ? undefined : toolAt(place, first, caller)
}
