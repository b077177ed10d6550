// A tool as `tools/list` shows it, in both protocol eras.

export interface ToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

export interface WireTool {
  /** Public name, prefix included. */
  readonly name: string
  readonly title?: string
  readonly description: string
  /** JSON Schema 2020-12, root type object, unknown keys refused. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>>
  readonly annotations?: ToolAnnotations
  readonly _meta?: Readonly<Record<string, unknown>>
}
