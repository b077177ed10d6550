// How many bytes of a list make a token, as measured when the lists were: cheap enough to ask on every list, and the same
// everywhere. `npm run tokens` writes the figures.
import measured from './factors.json' with { type: 'json' }

const factors: ReadonlyMap<string, number> = new Map(Object.entries(measured))
/** What nobody measured is taken for the densest that was. */
const DENSEST = Math.min(...factors.values())

/** @param mountId id of a server */
export const bytesPerToken = (mountId: string): number => factors.get(mountId) ?? DENSEST
