// Compiles a presenter: list limit, then allow-list, then redaction, and only then the blocks derived from the data.
import { escapeXml, escapeXmlAttribute } from '../lib/xml.ts'
import { isRecord } from '../lib/json.ts'
import { CompileError } from './compile-error.ts'
import type { ToolContext } from './context.ts'
import type { Presenter } from './presenter.ts'
import { compileRedaction, type Redaction } from './redaction.ts'
import { compileParser, REFUSED } from './schema/parser.ts'
import { readShape } from './schema/shape.ts'
import type { TextBlock } from './reply.ts'

export interface Presented {
  readonly blocks: TextBlock[]
  /** Redacted; an object, lists as `{ items, omitted }`. */
  readonly structured: Record<string, unknown>
  readonly attributes: Readonly<Record<string, string | number | boolean>> | undefined
}

export interface CompiledPresenter {
  apply(value: unknown, ctx: ToolContext): Presented
  /** Applies the redaction to facts that travel outside the data, such as a fault's details. */
  mask(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
}

/** @param typed whether the data must still fit an output schema after redaction */
export function compilePresenter(presenter: Presenter, where: string, typed: boolean): CompiledPresenter {
  const shape = readShape(presenter.schema, `${where} presenter`)
  const parse = compileParser(shape, 'strip')
  const redaction = compileRedaction(shape, presenter.redact ?? [], presenter.mask, where, typed)
  const { listMax } = presenter
  if (listMax !== undefined && !(Number.isSafeInteger(listMax) && listMax >= 1)) {
    throw new CompileError(where, 'presenter listMax must be an integer of at least 1')
  }
  const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value) && shape.kind !== 'array'
  const clean = (value: unknown): unknown => {
    const parsed = parse(value)
    if (parsed === REFUSED) throw new TypeError(`${where}: the data does not fit the presenter's schema`)
    return redaction.apply(parsed)
  }
  return {
    apply(value, ctx) {
      if (!isList(value)) return derive(presenter, [clean(value)], undefined, ctx)
      const kept = listMax === undefined ? value : value.slice(0, listMax)
      return derive(presenter, kept.map(clean), { total: value.length }, ctx)
    },
    mask: (details) => maskDetails(details, redaction),
  }
}

function maskDetails(
  details: Readonly<Record<string, unknown>>,
  redaction: Redaction,
): Readonly<Record<string, unknown>> {
  const copy: unknown = redaction.apply(structuredClone(details))
  return isRecord(copy) ? copy : {}
}

function derive(
  presenter: Presenter,
  items: readonly unknown[],
  list: { total: number } | undefined,
  ctx: ToolContext,
): Presented {
  const omitted = list === undefined ? 0 : list.total - items.length
  const data: unknown = list === undefined ? items[0] : items
  const texts = [
    dataText(presenter, items, data, ctx),
    omitted > 0 ? `[${omitted} of ${list?.total ?? 0} omitted: ask for the next page, or narrow the request.]` : '',
    uiText(presenter, items, ctx),
    rulesText(presenter, items, ctx),
    suggestionsText(presenter, items, ctx),
  ]
  return {
    blocks: texts.filter((text) => text !== '').map((text) => ({ type: 'text', text })),
    structured:
      list === undefined ? (isRecord(data) ? data : { value: data }) : { items, ...(omitted > 0 ? { omitted } : {}) },
    attributes: attributesOf(presenter, items),
  }
}

/** `<` inside JSON strings is written as an escape, so that data cannot open or close an element. */
function dataText(presenter: Presenter, items: readonly unknown[], data: unknown, ctx: ToolContext): string {
  if (presenter.render !== undefined) return items.map((item) => presenter.render?.(item, ctx) ?? '').join('\n')
  return (JSON.stringify(data) ?? 'null').replaceAll('<', '\\u003c')
}

function uiText(presenter: Presenter, items: readonly unknown[], ctx: ToolContext): string {
  const blocks = items.flatMap((item) => presenter.ui?.(item, ctx) ?? [])
  return blocks.map((block) => `<ui kind="${escapeXmlAttribute(block.kind)}">${escapeXml(block.text)}</ui>`).join('\n')
}

function rulesText(presenter: Presenter, items: readonly unknown[], ctx: ToolContext): string {
  const rules = new Set(items.flatMap((item) => presenter.rules?.(item, ctx) ?? []))
  if (rules.size === 0) return ''
  return `<domain_rules>\n${[...rules].map((rule) => `<rule>${escapeXml(rule)}</rule>`).join('\n')}\n</domain_rules>`
}

function suggestionsText(presenter: Presenter, items: readonly unknown[], ctx: ToolContext): string {
  const lines = new Set(
    items
      .flatMap((item) => presenter.suggest?.(item, ctx) ?? [])
      .map((action) => {
        const params = action.params === undefined ? '' : ` ${escapeXml(JSON.stringify(action.params))}`
        return `<action tool="${escapeXmlAttribute(action.tool)}">${escapeXml(action.reason)}${params}</action>`
      }),
  )
  return lines.size === 0 ? '' : `<action_suggestions>\n${[...lines].join('\n')}\n</action_suggestions>`
}

function attributesOf(presenter: Presenter, items: readonly unknown[]): Presented['attributes'] {
  if (presenter.attributes === undefined) return undefined
  return Object.assign({}, ...items.map((item) => presenter.attributes?.(item)))
}
