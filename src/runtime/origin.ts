// Where a declaration stands, for messages about clashes. Formatted only when such a message is needed.

const places = new WeakMap<object, Error>()
const OWN_FILES = /\/runtime\/(tool|server|origin)\.ts/

/** Remembers the place that declares `declaration`. The stack is captured, not formatted: about a microsecond. */
export function rememberOrigin(declaration: object): void {
  places.set(declaration, new Error('declared here'))
}

/** `src/servers/memory/tools/store-memory.ts:12`, or `unknown place`. */
export function originOf(declaration: object): string {
  const lines = places.get(declaration)?.stack?.split('\n').slice(1) ?? []
  const line = lines.find((candidate) => !OWN_FILES.test(candidate)) ?? ''
  const match = /(?:file:\/\/)?(\/[^\s()]+?|[A-Za-z]:[^\s()]+?):(\d+):\d+\)?$/.exec(line)
  if (match === null) return 'unknown place'
  const [, path = '', row = ''] = match
  return `${path.split('/').slice(-4).join('/')}:${row}`
}
