// Options of a command line as data: what is declared is what is parsed, typed, suggested and printed in the help.
import { parseArgs } from 'node:util'
import { nearest } from '../lib/nearest.ts'

interface OptionBase {
  readonly help: string
  readonly short?: string
  /** What stands for the value in the help. */
  readonly value?: string
}

export interface TextOption extends OptionBase {
  readonly type: 'text'
  readonly choices?: readonly string[]
}

export interface IntegerOption extends OptionBase {
  readonly type: 'integer'
  readonly min: number
  readonly max: number
}

/** `--name`, `--name true|false`, `--name=true|false` or `--no-name`. */
export interface FlagOption extends OptionBase {
  readonly type: 'flag'
}

/** May be given several times. */
export interface ListOption extends OptionBase {
  readonly type: 'list'
}

export type Option = TextOption | IntegerOption | FlagOption | ListOption
export type Options = Readonly<Record<string, Option>>

interface ValueTypes {
  text: string
  integer: number
  flag: boolean
  list: readonly string[]
}

/** Parsed options, keyed as declared; undefined when absent. */
export type Values<O extends Options> = { readonly [Name in keyof O]: ValueTypes[O[Name]['type']] | undefined }

export interface Parsed<O extends Options> {
  readonly options: Values<O>
  readonly positionals: readonly string[]
  /** Arguments after the last allowed positional, when `passthrough` is set. */
  readonly rest: readonly string[]
  readonly help: boolean
}

export interface Grammar<O extends Options> {
  readonly options: O
  /** What follows the name on a command line; its first words name the positional arguments. */
  readonly usage?: string
  /** Least and most positional arguments; none by default. */
  readonly positionals?: readonly [min: number, max: number]
  /** Leaves everything after the last positional unparsed. */
  readonly passthrough?: boolean
}

/** A mistake on the command line: one sentence, exit code 2. */
export class UsageError extends Error {
  /** What to ask for help about, as typed after `crow`; undefined for the command itself. */
  readonly topic: string | undefined

  constructor(message: string, topic?: string) {
    super(message)
    this.name = 'UsageError'
    this.topic = topic
  }
}

const help: FlagOption = { type: 'flag', short: 'h', help: 'show this help' }

/**
 * Parses what follows the name of a command. `min-importance` and `min_importance` are one option.
 * @throws UsageError naming the option, with the nearest known one for a typing mistake
 */
export function parseOptions<O extends Options>(grammar: Grammar<O>, args: readonly string[]): Parsed<O> {
  const known: Options = { ...grammar.options, help }
  const [, positionalsMax] = grammar.positionals ?? [0, 0]
  const values = new Map<string, ValueTypes[Option['type']]>()
  const positionals: string[] = []
  let rest: readonly string[] = []
  let flagAt: { readonly name: string; readonly index: number } | undefined
  for (const token of tokensOf(known, args)) {
    if (token.kind === 'positional') {
      // `--flag false`: the word belongs to the flag before it.
      if (flagAt?.index === token.index - 1 && (token.value === 'true' || token.value === 'false')) {
        values.set(flagAt.name, token.value === 'true')
        continue
      }
      positionals.push(token.value)
      if (grammar.passthrough === true && positionals.length === positionalsMax) {
        rest = args.slice(token.index + 1)
        break
      }
    } else if (token.kind === 'option') {
      const { name, option, negated } = lookUp(known, token.name, token.rawName)
      values.set(name, negated ? false : valueOf(name, option, token, known, values.get(name)))
      flagAt =
        option.type === 'flag' && !negated && token.value === undefined ? { name, index: token.index } : undefined
    }
  }
  const asked = values.get('help') === true
  values.delete('help')
  if (!asked) checkCount(positionals, grammar)
  const options = Object.fromEntries(values)
  if (!areValues(options, grammar.options)) throw new TypeError('an option that nobody declared was parsed')
  return { options, positionals, rest, help: asked }
}

/** True by construction: each value was made by `valueOf` for the option of its name. */
function areValues<O extends Options>(values: object, options: O): values is Values<O> {
  return Object.keys(values).every((name) => Object.hasOwn(options, name))
}

interface OptionToken {
  readonly kind: 'option'
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
  readonly index: number
}

function tokensOf(known: Options, args: readonly string[]) {
  const config: Record<string, { type: 'string' | 'boolean'; short?: string }> = {}
  for (const [name, option] of Object.entries(known)) {
    const type = option.type === 'flag' ? 'boolean' : 'string'
    config[name] = option.short === undefined ? { type } : { type, short: option.short }
    if (name.includes('_')) config[name.replaceAll('_', '-')] = { type }
  }
  return parseArgs({ args: [...args], options: config, strict: false, allowPositionals: true, tokens: true }).tokens
}

function lookUp(known: Options, typed: string, raw: string): { name: string; option: Option; negated: boolean } {
  for (const name of [typed, typed.replaceAll('-', '_')]) {
    const option = known[name]
    if (option !== undefined && Object.hasOwn(known, name)) return { name, option, negated: false }
  }
  const positive = typed.startsWith('no-') ? typed.slice(3) : undefined
  for (const name of positive === undefined ? [] : [positive, positive.replaceAll('-', '_')]) {
    const option = known[name]
    if (option?.type === 'flag' && Object.hasOwn(known, name)) return { name, option, negated: true }
  }
  const near = nearest(typed, Object.keys(known))
  throw new UsageError(`there is no option ${raw}${near === undefined ? '' : `; did you mean --${near}?`}`)
}

function valueOf(
  name: string,
  option: Option,
  token: OptionToken,
  known: Options,
  before: ValueTypes[Option['type']] | undefined,
): ValueTypes[Option['type']] {
  if (option.type === 'flag') return flagOf(name, token)
  const { value } = token
  const isNextOption = token.inlineValue !== true && value?.startsWith('--') === true && value.slice(2) in known
  if (value === undefined || isNextOption) {
    throw new UsageError(`--${name} needs a value: --${name} ${option.value ?? 'VALUE'}`)
  }
  if (option.type === 'list') return [...(Array.isArray(before) ? before : []), value]
  if (before !== undefined) throw new UsageError(`--${name} is given twice`)
  if (option.type === 'integer') return integerOf(name, option, value)
  if (option.choices !== undefined && !option.choices.includes(value)) {
    const near = nearest(value, option.choices)
    const hint = near === undefined ? '' : `; did you mean ${near}?`
    throw new UsageError(`--${name} is one of ${option.choices.join(', ')}, not ${JSON.stringify(value)}${hint}`)
  }
  return value
}

function flagOf(name: string, token: OptionToken): boolean {
  if (token.value === undefined || token.value === 'true') return true
  if (token.value === 'false') return false
  throw new UsageError(`--${name} is true or false, not ${JSON.stringify(token.value)}`)
}

function integerOf(name: string, option: IntegerOption, value: string): number {
  const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN
  if (number >= option.min && number <= option.max) return number
  throw new UsageError(`--${name} is a whole number from ${option.min} to ${option.max}, not ${JSON.stringify(value)}`)
}

function checkCount(
  positionals: readonly string[],
  { positionals: [min, max] = [0, 0], usage }: Grammar<Options>,
): void {
  const extra = positionals[max]
  if (extra !== undefined) throw new UsageError(`the argument ${JSON.stringify(extra)} is one too many`)
  if (positionals.length >= min) return
  const missing = (usage ?? '').split(' ').slice(positionals.length, min)
  throw new UsageError(`${missing.join(' and ') || 'an argument'} ${missing.length > 1 ? 'are' : 'is'} missing`)
}
