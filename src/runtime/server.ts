// A server is what a client mounts: a list of tools under one id. Inert and frozen, like the tools.
import type { Searchable, ToolContext } from './context.ts'
import type { Middleware } from './middleware.ts'
import { rememberOrigin } from './origin.ts'
import type { InputNeeded } from './reply.ts'
import type { ToolSource } from './source.ts'
import type { Limits, Tool } from './tool.ts'

export type ResourceBody = { readonly text: string } | { readonly blob: string }

export interface Resource {
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly mimeType: string
  /** Whether `ctx.ports.bus` tells when it changes. */
  readonly subscribable?: boolean
  read(ctx: ToolContext): ResourceBody | Promise<ResourceBody>
}

/** A family of resources, `{name}` standing for one path segment (RFC 6570 level 1). */
export interface ResourceTemplate {
  readonly uriTemplate: string
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly mimeType: string
  read(variables: Readonly<Record<string, string>>, ctx: ToolContext): ResourceBody | Promise<ResourceBody>
  complete?(variable: string, value: string): readonly string[]
}

export interface PromptArgument {
  readonly name: string
  readonly description?: string
  readonly required?: boolean
}
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: object
}
export type PromptResult = readonly PromptMessage[] | InputNeeded

export interface Prompt {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly arguments?: readonly PromptArgument[]
  /** May return `needInput(…)`. */
  render(args: Readonly<Record<string, string>>, ctx: ToolContext): PromptResult | Promise<PromptResult>
  /** Values offered while an argument is typed. */
  complete?(argument: string, value: string): readonly string[]
}

export interface ServerSpec {
  readonly id: string
  /** Path below which `/mcp` is served. Default `/<id>`. */
  readonly mount?: string
  /** More mounts of the same server, and names of its category in the router: `['/']` serves it at `/mcp` as well. */
  readonly aliases?: readonly string[]
  /** Put before every public tool name. Default `crow_`; `''` for none. */
  readonly prefix?: string
  readonly title?: string
  readonly summary: string
  /** Told to a client when it connects. */
  readonly instructions?: string
  readonly tools: readonly Tool[]
  readonly resources?: readonly Resource[]
  readonly templates?: readonly ResourceTemplate[]
  readonly prompts?: readonly Prompt[]
  /** Names of configured things without which this server is not mounted, routed or counted. */
  readonly needs?: readonly string[]
  readonly searchables?: readonly Searchable[]
  /** Run after the global and before a tool's own middlewares. */
  readonly use?: readonly Middleware[]
  /** Defaults for every tool here. */
  readonly limits?: Limits
  /** Exposes all tools as one, `{ action, params }`. */
  readonly grouped?: boolean
  /** Whether peers may see it at all. Default no. */
  readonly peers?: boolean
  /** Tools that come and go (foreign servers), beside or instead of `tools`. */
  readonly source?: ToolSource
}

export interface ServerDefinition extends ServerSpec {
  readonly mount: string
  readonly aliases: readonly string[]
  readonly prefix: string
}

/** Declares a server, or a part of one: several definitions with one id merge, each tool keeping its own settings. */
export function defineServer(spec: ServerSpec): ServerDefinition {
  const server = Object.freeze({
    ...spec,
    mount: spec.mount ?? `/${spec.id}`,
    aliases: Object.freeze([...(spec.aliases ?? [])]),
    prefix: spec.prefix ?? 'crow_',
    tools: Object.freeze([...spec.tools]),
  })
  rememberOrigin(server)
  return server
}
