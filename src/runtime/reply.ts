// What a tool answers, in MCP's content shapes but with types of our own: the runtime knows no SDK.

export interface TextBlock {
  type: 'text'
  text: string
  annotations?: BlockAnnotations
}
export interface MediaBlock {
  type: 'image' | 'audio'
  /** Base64. */
  data: string
  mimeType: string
  annotations?: BlockAnnotations
}
export interface ResourceBlock {
  type: 'resource'
  resource: { uri: string; mimeType?: string; text: string } | { uri: string; mimeType?: string; blob: string }
  annotations?: BlockAnnotations
}
export interface ResourceLinkBlock {
  type: 'resource_link'
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  annotations?: BlockAnnotations
}
export interface BlockAnnotations {
  audience?: ('user' | 'assistant')[]
  priority?: number
  lastModified?: string
}
export type ContentBlock = TextBlock | MediaBlock | ResourceBlock | ResourceLinkBlock

/** The result of `tools/call`, ready to be serialised. */
export interface Reply {
  content: ContentBlock[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
  _meta?: Record<string, unknown>
}

/** Whether an object is the result of `tools/call` as it came from somewhere. Blocks are not looked at: they are data. */
export function isReply(result: object): result is Reply {
  return 'content' in result && Array.isArray(result.content)
}

/**
 * A reply that a handler built itself. Only the constructors below make one; an object that merely looks like a reply
 * is data, and goes through the presenter like all data.
 */
export class ReadyReply {
  readonly reply: Reply

  constructor(reply: Reply) {
    this.reply = reply
  }
}

/** Data together with the text a model should read instead of its JSON. A declared presenter replaces that text. */
export class DataReply {
  readonly data: object
  readonly text: string | undefined

  constructor(data: object, text: string | undefined) {
    this.data = data
    this.text = text
  }
}

/** A question to the person, in the wire's own shape (`elicitation/create` and friends). Made with `needInput`. */
export interface InputRequest {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** A handler's wish to ask something before it goes on; it is called again with the answers in `ctx.elicit`. */
export class InputNeeded {
  readonly requests: Readonly<Record<string, InputRequest>>
  readonly state: string

  constructor(requests: Readonly<Record<string, InputRequest>>, state: string) {
    this.requests = requests
    this.state = state
  }
}

/** Small constructors for handlers. Returning a plain string or a data object works as well. */
export const reply = Object.freeze({
  text: (text: string): ReadyReply => new ReadyReply({ content: [{ type: 'text', text }] }),
  /** `data` becomes `structuredContent` where the tool declares `output`; `text` is what a model reads. */
  data: (data: object, text?: string): DataReply => new DataReply(data, text),
  blocks: (...content: ContentBlock[]): ReadyReply => new ReadyReply({ content }),
  /** A finished wire result, passed on as it is (foreign tools). */
  ready: (result: Reply): ReadyReply => new ReadyReply(result),
  image: (data: string, mimeType: string): MediaBlock => ({ type: 'image', data, mimeType }),
  audio: (data: string, mimeType: string): MediaBlock => ({ type: 'audio', data, mimeType }),
  link: (
    uri: string,
    name: string,
    more: Partial<Omit<ResourceLinkBlock, 'type' | 'uri' | 'name'>> = {},
  ): ResourceLinkBlock => ({
    type: 'resource_link',
    uri,
    name,
    ...more,
  }),
})

/**
 * Asks the person before going on. The runtime seals `state`; the next round hands it back in `ctx.elicit.state`.
 * @param requests keyed by names that the answers come back under
 */
export function needInput(requests: Readonly<Record<string, InputRequest>>, state = ''): InputNeeded {
  return new InputNeeded(requests, state)
}
