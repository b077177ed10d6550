// What sources have beside tools: lists by who asks, whose a name is, and one watch for each resource however many listen.
import { Recent } from '../lib/recent.ts'
import { guardOf, type Reach } from './areas.ts'
import type { Caller } from './context.ts'
import type { ContentSource, ToolSource, WireObject } from './source.ts'
import { accessOf, type Guarded } from './steps/permit.ts'
import { wellFormed } from './well-formed.ts'

export type ContentKind = 'resource' | 'template' | 'prompt'

export interface ForeignLists {
  readonly resources: readonly WireObject[]
  readonly templates: readonly WireObject[]
  readonly prompts: readonly WireObject[]
}

export interface ForeignContent {
  readonly source: ContentSource
  /** What this caller may see. */
  lists(caller: Caller): ForeignLists
  /** What it takes to read this; undefined where it is nothing of this source. */
  guardOf(kind: ContentKind, name: string): Guarded | undefined
  /** Changes of this resource are told from now on, until the returned function is called. */
  watch(uri: string): () => void
}

/** Kinds of access whose lists are kept. */
const LISTS_MAX = 32

interface Kept {
  readonly epoch: number
  readonly lists: ForeignLists
}

/** @param server what it takes to use anything of the server */
export function foreignContent(
  { content, ...source }: { readonly content: ContentSource; readonly epoch: () => number },
  server: Guarded,
  reach: Reach,
): ForeignContent {
  const kept = new Recent<string, Kept>(LISTS_MAX)
  const guard = (kind: ContentKind, name: string): Guarded | undefined => {
    const area = areaIn(content, kind, name)
    return area === undefined ? undefined : guardOf(server, area)
  }
  const visible =
    (kind: ContentKind, field: string, caller: Caller) =>
    (item: WireObject): boolean => {
      const needed = guard(kind, String(item[field]))
      return needed !== undefined && accessOf(needed, caller) !== 'none'
    }
  return Object.freeze({
    source: content,
    guardOf: guard,
    watch: onceEach((uri) => content.watch(uri)),
    lists(caller: Caller): ForeignLists {
      const key = reach.key(caller)
      const epoch = source.epoch()
      const known = kept.get(key)
      if (known !== undefined && known.epoch === epoch) return known.lists
      const lists = Object.freeze({
        resources: content
          .resources(caller)
          .filter(visible('resource', 'uri', caller))
          .map(wellFormed),
        templates: content
          .templates(caller)
          .filter(visible('template', 'uriTemplate', caller))
          .map(wellFormed),
        prompts: content
          .prompts(caller)
          .filter(visible('prompt', 'name', caller))
          .map(wellFormed),
      })
      kept.set(key, { epoch, lists })
      return lists
    },
  })
}

export function contentsOf(sources: readonly ToolSource[], server: Guarded, reach: Reach): readonly ForeignContent[] {
  return sources.flatMap((source) =>
    source.content === undefined
      ? []
      : [foreignContent({ content: source.content, epoch: () => source.epoch }, server, reach)],
  )
}

function areaIn(content: ContentSource, kind: ContentKind, name: string): string | undefined {
  if (kind === 'prompt') return content.areaOfPrompt(name)
  return kind === 'resource' ? content.areaOfUri(name) : content.areaOfTemplate(name)
}

/** Starts with the first that wants it and ends with the last. Ending twice is harmless. */
function onceEach(start: (uri: string) => () => void): (uri: string) => () => void {
  const watches = new Map<string, { count: number; readonly stop: () => void }>()
  return (uri) => {
    const watch = watches.get(uri) ?? { count: 0, stop: start(uri) }
    watch.count++
    watches.set(uri, watch)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      watch.count--
      if (watch.count > 0) return
      watches.delete(uri)
      watch.stop()
    }
  }
}
