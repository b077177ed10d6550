// A small server for the runtime's tests, and short ways to call it and to look at what comes back.
import assert from 'node:assert/strict'
import Type from 'typebox'
import { compileCatalog, type Catalog, type CatalogOptions } from '../../../src/runtime/catalog.ts'
import type { Caller, Log } from '../../../src/runtime/context.ts'
import { invoke, type Call, type Outcome } from '../../../src/runtime/invoke.ts'
import type { Reply } from '../../../src/runtime/reply.ts'
import { defineServer, type ServerSpec } from '../../../src/runtime/server.ts'
import { defineTool, type Tool } from '../../../src/runtime/tool.ts'

export const owner: Caller = Object.freeze({ id: 'owner', kind: 'local', scopes: 'all' })

export function readTool(name: string, more: Partial<Tool> = {}): Tool {
  return defineTool({
    name,
    summary: `Does ${name}.`,
    description: `Does ${name}.`,
    effect: 'read',
    input: anyId,
    handle: () => name,
    ...base(more),
  })
}
export const anyId = Type.Object({ id: Type.Optional(Type.Integer()) })

/** Erased tools fit any effect but `destroy`, which needs its preview in the type. */
function base(
  more: Partial<Tool>,
): Partial<Omit<Tool, 'effect' | 'preview' | 'input'>> & { effect?: 'read' | 'write' } {
  const { effect, preview: _preview, input: _input, ...rest } = more
  return { ...rest, ...(effect === 'write' || effect === 'read' ? { effect } : {}) }
}

export function serve(tools: readonly Tool[], options: CatalogOptions = {}, server: Partial<ServerSpec> = {}): Catalog {
  return compileCatalog([defineServer({ id: 'shop', summary: 'A shop', tools, ...server })], options)
}

export function call(catalog: Catalog, tool: string, params: unknown = {}, more: Partial<Call> = {}): Promise<Outcome> {
  return Promise.resolve(invoke(catalog, { caller: owner, server: 'shop', tool, params, ...more }))
}

/** The reply of an outcome that must be one. */
export function replyOf(outcome: Outcome): Reply {
  assert.equal(outcome.kind, 'reply', JSON.stringify(outcome))
  assert.ok(outcome.kind === 'reply')
  return outcome.reply
}

/** All text of a reply. */
export function textOf(outcome: Outcome): string {
  return replyOf(outcome)
    .content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .join('\n')
}

/** The code of the fault that an outcome is. */
export function codeOf(outcome: Outcome): string | undefined {
  return /<tool_error code="([A-Z_]+)"/.exec(textOf(outcome))?.[1]
}

export interface LogLine {
  readonly level: string
  readonly detail: object
  readonly message: string | undefined
}

export function memoryLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = []
  const at = (level: string) => (detail: object, message?: string) => void lines.push({ level, detail, message })
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** A promise that the test settles. */
export function gate<Value = void>(): PromiseWithResolvers<Value> {
  return Promise.withResolvers<Value>()
}

/** Resolves when `condition` holds, looked at once per turn of the event loop; gives up after `limitMs`. */
export async function until(condition: () => boolean, limitMs = 5000): Promise<void> {
  const started = performance.now()
  while (!condition()) {
    assert.ok(performance.now() - started < limitMs, 'the condition never held')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Lets everything that is already due happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

export function idle(catalog: Catalog): boolean {
  const { active, waiting, abandoned, locks } = catalog.stats()
  return active + waiting + abandoned + locks === 0
}
