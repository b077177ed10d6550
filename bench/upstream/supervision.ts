// External servers that hang, crash, are killed and change, in front of the gateway as shipped.
import type { Row } from '../table.ts'
import { killedRows } from './killed.ts'
import { newsRows } from './news.ts'
import { twentyRows } from './twenty.ts'

/**
 * @param bundle path of the bundled bench server
 * @param main path of the bundled command
 */
export async function supervisionSection(bundle: string, main: string): Promise<Row[]> {
  return [...(await newsRows(bundle, main)), ...(await twentyRows(bundle)), ...(await killedRows(bundle))]
}
