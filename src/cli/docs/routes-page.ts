// docs/ROUTES.md, from the table that the guard collected while the app was built.
import { code, generatedNote, markdownTable } from './markdown.ts'

/** One route as the guard of the app knows it. */
export interface RouteFacts {
  readonly method: string
  readonly path: string
  readonly doors: readonly string[]
  readonly limit: string
  readonly answers: string
}

export function routesPage(routes: readonly RouteFacts[]): string {
  const rows = routes
    .toSorted((a, b) => compare(a.path, b.path) || compare(a.method, b.method))
    .map(({ method, path, doors, limit, answers }) => [method, code(path), doors.join(' → '), limit, answers])
  return [
    generatedNote,
    '',
    '# Routes',
    '',
    'Every route stands behind a door; one that does not stops the start. `caller` takes a bearer token, `operator` the cookie of the owner;',
    '`applicant` is for whoever asks for one of the two, and `anyone` asks for nothing. See [ACCESS](ACCESS.md) for who is who.',
    'The path of `CROW_GATEWAY_URL`, where it has one, may stand before each of them. What matches no route is counted like any stranger and answered with 404.',
    '',
    ...markdownTable(['method', 'path', 'door', 'limit', 'answers'], rows),
    '',
  ].join('\n')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
