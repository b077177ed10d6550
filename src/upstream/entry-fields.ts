// Reads single members of an entry of `servers.json`. What has another form than expected is one clause that names the member,
// never what is in it.
import { isRecord } from '../lib/json.ts'

export type Raw = Readonly<Record<string, unknown>>

/** One entry cannot be served; the message stands after its id. */
export class EntryError extends Error {}

const LIST_MAX = 1_000
const TEXT_MAX = 32_768

/** The first of these members that is there, by name: the same thing is spelled differently by different clients. */
export function firstOf(raw: Raw, keys: readonly string[]): string | undefined {
  return keys.find((key) => Object.hasOwn(raw, key) && raw[key] !== undefined && raw[key] !== null)
}

export function textIn(raw: Raw, ...keys: readonly string[]): string | undefined {
  const key = firstOf(raw, keys)
  return key === undefined ? undefined : plainText(raw[key], key)
}

export function flagIn(raw: Raw, key: string): boolean | undefined {
  const value = raw[key]
  if (value === undefined || value === null || typeof value === 'boolean') return value ?? undefined
  throw new EntryError(`${key} must be true or false, not ${formOf(value)}`)
}

/** @returns undefined where there is none, so that an empty list can mean none of them */
export function textsIn(raw: Raw, ...keys: readonly string[]): readonly string[] | undefined {
  const key = firstOf(raw, keys)
  if (key === undefined) return undefined
  const value = raw[key]
  if (!Array.isArray(value)) throw new EntryError(`${key} must be a list of texts, not ${formOf(value)}`)
  if (value.length > LIST_MAX) throw new EntryError(`${key} has more than ${LIST_MAX} items`)
  return value.map((item, at) => plainText(item, `${key}[${at}]`))
}

/** Texts by name; numbers and booleans are written as texts, as clients do. */
export function textMapIn(raw: Raw, key: string, name: RegExp): ReadonlyMap<string, string> {
  const value = raw[key]
  if (value === undefined || value === null) return new Map()
  if (!isRecord(value)) throw new EntryError(`${key} must be an object of texts, not ${formOf(value)}`)
  const entries = Object.entries(value)
  if (entries.length > LIST_MAX) throw new EntryError(`${key} has more than ${LIST_MAX} members`)
  return new Map(
    entries.map(([member, item]) => {
      if (!name.test(member) || member === '__proto__')
        throw new EntryError(`${key} has a member that is no name of ${key === 'env' ? 'a variable' : 'a header'}`)
      const isPlain = typeof item === 'number' || typeof item === 'boolean'
      return [member, isPlain ? String(item) : plainText(item, `${key}.${member}`)]
    }),
  )
}

export function choiceIn<Word extends string>(raw: Raw, key: string, words: readonly Word[]): Word | undefined {
  const value = raw[key]
  if (value === undefined || value === null) return undefined
  const found = words.find((word) => word === value)
  if (found === undefined) throw new EntryError(`${key} must be ${words.join(' or ')}`)
  return found
}

/** Seconds below 1,000, milliseconds from there on: clients disagree, and nobody means less than a second. */
export function durationOf(value: unknown, key: string, maxMs: number): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0)
    throw new EntryError(`${key} must be a number above 0, not ${formOf(value)}`)
  const ms = Math.round(value < 1_000 ? value * 1_000 : value)
  if (ms > maxMs) throw new EntryError(`${key} is more than ${maxMs / 1_000} seconds`)
  return ms
}

function plainText(value: unknown, key: string): string {
  if (typeof value !== 'string') throw new EntryError(`${key} must be a text, not ${formOf(value)}`)
  if (value.length > TEXT_MAX) throw new EntryError(`${key} is longer than ${TEXT_MAX} characters`)
  if (value.includes('\0')) throw new EntryError(`${key} holds a NUL character`)
  return value
}

function formOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}
