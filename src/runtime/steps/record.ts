// What follows from an answer: subscribers learn what went stale, observers learn how it ended.
import type { CompiledTool } from '../compiled.ts'
import type { Reply } from '../reply.ts'
import type { Run } from '../run.ts'

/** Only after a success; a preview, a question or a failure has changed nothing. */
export function invalidate(run: Run<CompiledTool>): void {
  for (const uri of run.target.invalidates) run.engine.bus.emit({ kind: 'resource', uri })
}

export function noteReply(run: Run<CompiledTool>, reply: Reply): void {
  if (run.probe === undefined) return
  run.note = {
    outcome: reply.isError === true ? 'fault' : 'ok',
    isError: reply.isError === true,
    bytes: run.probe.measures ? replyBytes(reply) : 0,
    ...(run.attributes === undefined ? {} : { attributes: run.attributes }),
  }
}

/** Content of a reply as UTF-8, without JSON framing: what a model reads. */
export function replyBytes(reply: Reply): number {
  let bytes = reply.structuredContent === undefined ? 0 : Buffer.byteLength(JSON.stringify(reply.structuredContent))
  for (const block of reply.content) {
    bytes +=
      block.type === 'text'
        ? Buffer.byteLength(block.text)
        : 'data' in block
          ? block.data.length
          : Buffer.byteLength(JSON.stringify(block))
  }
  return bytes
}
