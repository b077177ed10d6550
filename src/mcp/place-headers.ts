// Two headers in which a client says where it works: `Crow-Device` and `Crow-Project`. A text that is no ASCII travels in the
// base64 form of MCP's own headers (Streamable HTTP, Custom Headers).
import type { IncomingHttpHeaders } from 'node:http'
import { withPlace, type ClientPlace } from '../runtime/client-place.ts'
import type { Caller } from '../runtime/context.ts'
import { NAME } from '../runtime/schema/text-patterns.ts'
import { decodeHeaderValue, encodeHeaderValue } from './param-headers.ts'

/** What a section of crow.md can be for. */
const DEVICE_CHARS_MAX = 200
const DEVICE = new RegExp(NAME, 'u')
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u
const PROJECT = /^[1-9]\d{0,14}$/

export const BAD_PLACE =
  'Bad Request: Crow-Device takes one line of at most 200 characters, Crow-Project the number of a project'

/** The caller, where the headers say that they are. Undefined for headers that say no place. */
export function placedCaller(headers: IncomingHttpHeaders, caller: Caller): Caller | undefined {
  const { 'crow-device': device, 'crow-project': project } = headers
  if (device === undefined && project === undefined) return caller
  const place = placeOf(textOf(device), textOf(project))
  return place === undefined ? undefined : withPlace(caller, place)
}

/** The headers that say a place. */
export function placeHeaders({ deviceId, projectId }: ClientPlace): Record<string, string> {
  return {
    ...(deviceId === undefined ? {} : { 'Crow-Device': encodeHeaderValue(deviceId) }),
    ...(projectId === undefined ? {} : { 'Crow-Project': String(projectId) }),
  }
}

/** Node joins what it gets twice, but for a few names. */
const textOf = (header: string | string[] | undefined): string =>
  Array.isArray(header) ? header.join(', ') : (header ?? '')

/** An empty header is as good as none. */
function placeOf(device: string, project: string): ClientPlace | undefined {
  const deviceId = decodeHeaderValue(device)
  if (deviceId === undefined || !isDevice(deviceId) || (project !== '' && !PROJECT.test(project))) return undefined
  return {
    ...(deviceId === '' ? {} : { deviceId }),
    ...(project === '' ? {} : { projectId: Number(project) }),
  }
}

const isDevice = (text: string): boolean =>
  text === '' || (text.length <= DEVICE_CHARS_MAX && DEVICE.test(text) && !UNSEEN.test(text))
