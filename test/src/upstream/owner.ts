// What a list of external servers is read with in these tests.
import { join } from 'node:path'
import { createLog } from '../../../src/lib/log.ts'
import type { Owner } from '../../../src/upstream/configured.ts'
import { openRegistry, type Registry } from '../../../src/upstream/registry.ts'

export interface Given {
  readonly environment?: Readonly<Record<string, string>>
  /** By name in the store: `upstream/github/TOKEN`. */
  readonly secrets?: Map<string, string>
  readonly ports?: readonly number[]
  readonly publicUrl?: string
}

export function ownerOf(folder: string, given: Given = {}): Owner {
  const { environment = {}, secrets = new Map<string, string>(), ports = [3001], publicUrl } = given
  return {
    folder,
    environment,
    secrets: { read: (name) => secrets.get(name) },
    key: Buffer.alloc(32, 7),
    ownIds: ['memory', 'research'],
    self: { ports: () => ports, publicUrl: publicUrl === undefined ? null : new URL(publicUrl) },
  }
}

export interface Opened extends Registry {
  readonly file: string
  /** Lines of the log. */
  readonly logged: string[]
}

export function opened(folder: string, given: Given = {}, everyMs = 0): Opened {
  const logged: string[] = []
  const file = join(folder, 'servers.json')
  const log = createLog({ level: 'trace', write: (line) => void logged.push(line) })
  return { file, logged, ...openRegistry({ ...ownerOf(folder, given), file, log, everyMs }) }
}
