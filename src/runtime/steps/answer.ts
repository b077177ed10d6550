// The ends of a call: a fault as a reply, and the note that observers are told.
import { isRecord } from '../../lib/json.ts'
import { isMisunderstanding } from '../codes.ts'
import { faultReply, taughtReply } from '../fault-text.ts'
import type { ToolFault } from '../fault.ts'
import type { Outcome } from '../outcome.ts'
import type { Run, Subject } from '../run.ts'
import { fit, type Sized } from './fit.ts'
import { replyBytes } from './record.ts'

interface Explained extends Subject {
  readonly signature?: string
  readonly presenter?:
    | { mask(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> }
    | undefined
}

/** A fault as the caller sees it. Its details pass the redaction of the tool's presenter first. */
export function refuse(run: Run<Explained>, fault: ToolFault): Outcome {
  const lesson = run.started ? undefined : lessonOf(run, fault)
  const full =
    lesson === undefined
      ? faultReply({ ...readable(fault), details: detailsOf(run, fault) }, run.target.signature)
      : taughtReply(fault, lesson)
  const reply = isSized(run) ? fit(run, full) : full
  if (run.probe !== undefined) {
    run.note = {
      outcome: 'fault',
      code: fault.code,
      isError: true,
      bytes: run.probe.measures ? replyBytes(reply) : 0,
      ...(run.incident === undefined ? {} : { incident: run.incident }),
    }
  }
  return { kind: 'reply', reply }
}

/** How a call that was not understood should have looked, where the tool that was called can say it. */
function lessonOf({ via, call }: Run, { code }: ToolFault): string | undefined {
  return via?.teach !== undefined && isMisunderstanding(code) ? via.teach(call.params, call.caller) : undefined
}

function isSized(run: Run): run is Run<Sized> {
  return 'limits' in run.target
}

function readable(fault: ToolFault) {
  const { code, message, recovery, retryAfterMs, availableActions, severity } = fault
  return { code, message, recovery, retryAfterMs, availableActions, severity }
}

/** Plain JSON only, and masked; what cannot be written down or masked is left out rather than shown. */
function detailsOf(run: Run<Explained>, fault: ToolFault): ToolFault['details'] {
  if (fault.details === undefined) return undefined
  try {
    const plain: unknown = JSON.parse(JSON.stringify(fault.details))
    return isRecord(plain) ? (run.target.presenter?.mask(plain) ?? plain) : undefined
  } catch (error) {
    run.engine.log.error({ err: error, tool: run.target.publicName }, 'the details of a fault cannot be shown')
    return undefined
  }
}
