// A fault outside a tool has no `isError` to travel in: it becomes a JSON-RPC error with the same words.
import { ProtocolError } from '@modelcontextprotocol/server'
import type { ToolFault } from '../runtime/fault.ts'
import { CODE } from './protocol.ts'

export function protocolFault(fault: ToolFault): ProtocolError {
  const code = fault.kind === 'internal' || fault.kind === 'unavailable' ? CODE.internal : CODE.invalidParams
  return new ProtocolError(code, fault.message, { code: fault.code, recovery: fault.recovery })
}
