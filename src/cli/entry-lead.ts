// Where an entry in a client's file leads: to an address, to a server of ours over stdio, or to something that is none of ours.
import { basename, join } from 'node:path'
import { isRecord, objectOf } from '../lib/json.ts'

export type Lead =
  | { readonly kind: 'http'; readonly url: string }
  /** @param dataDir undefined for the usual folder */
  | { readonly kind: 'stdio'; readonly server: string; readonly dataDir: string | undefined }
  | { readonly kind: 'other' }

/** What the entry asks its client to do. */
export function leadOf(entry: unknown): Lead {
  if (!isRecord(entry)) return { kind: 'other' }
  const url = [entry['url'], entry['serverUrl'], entry['httpUrl']].find((one) => typeof one === 'string')
  if (url !== undefined) return { kind: 'http', url: plainUrl(url) }
  const args = Array.isArray(entry['args']) ? entry['args'].map(String) : []
  const at = args.indexOf('stdio')
  const server = args[at + 1]
  if (at === -1 || server === undefined || !isProgram([String(entry['command']), ...args.slice(0, at)]))
    return { kind: 'other' }
  return { kind: 'stdio', server, dataDir: folderOf(args, objectOf(entry['env'])) }
}

/** Whether both lead to the same server on the same data folder. */
export function isSameLead(one: Lead, other: Lead): boolean {
  if (one.kind === 'http' && other.kind === 'http') return one.url === other.url
  return one.kind === 'stdio' && other.kind === 'stdio' && one.server === other.server && one.dataDir === other.dataDir
}

/** For a sentence: "it leads to …". */
export function wordsFor(lead: Lead): string {
  if (lead.kind === 'http') return lead.url
  if (lead.kind === 'other') return 'another program'
  return `the server ${lead.server} on ${lead.dataDir ?? 'the usual data folder'}`
}

/** One spelling of this machine, and no slash at the end. */
export function plainUrl(url: string): string {
  return url.replace(/^(https?:\/\/)localhost(?=[:/]|$)/i, '$1127.0.0.1').replace(/\/+$/, '')
}

/** `crow` itself, or a Node with our entry file. */
function isProgram(words: readonly string[]): boolean {
  return words.some((word) => ['crow', 'main.js', 'main.ts'].includes(basename(word.replaceAll('\\', '/'))))
}

function folderOf(args: readonly string[], env: Readonly<Record<string, unknown>>): string | undefined {
  const at = args.indexOf('--data-dir')
  const flag = at === -1 ? args.find((arg) => arg.startsWith('--data-dir='))?.slice('--data-dir='.length) : args[at + 1]
  if (flag !== undefined) return flag
  if (typeof env['CROW_DATA_DIR'] === 'string') return env['CROW_DATA_DIR']
  return typeof env['CROW_HOME'] === 'string' ? join(env['CROW_HOME'], 'data') : undefined
}
