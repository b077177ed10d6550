// What all sources together show, put side by side once per change.
import type { JsonObject } from '../lib/link.ts'
import type { WireTool } from '../runtime/wire-tool.ts'
import type { Caller } from '../runtime/context.ts'
import { abilitiesOf, type Abilities } from './abilities.ts'
import type { External } from './external.ts'
import type { ShownPrompt, ShownTool } from './view.ts'

export interface ToolRoute {
  readonly external: External
  readonly tool: ShownTool
}
interface PromptRoute {
  readonly external: External
  readonly prompt: ShownPrompt
}

/** What callers of one kind are shown. */
interface Shown {
  readonly tools: readonly WireTool[]
  readonly prompts: readonly JsonObject[]
  readonly resources: readonly JsonObject[]
  readonly templates: readonly JsonObject[]
}

/** Everything by its public name, whoever is shown it. Names say which source they belong to, so none has two. */
interface Routes {
  readonly tools: ReadonlyMap<string, ToolRoute>
  readonly prompts: ReadonlyMap<string, PromptRoute>
  readonly templates: ReadonlyMap<string, string>
}

function shownOf(externals: readonly External[], abilities: Abilities): Shown {
  const views = externals.map((external) => external.viewFor(abilities))
  return Object.freeze({
    tools: views.flatMap(({ tools }) => tools.map(({ listed }) => listed)),
    prompts: views.flatMap(({ prompts }) => prompts.map(({ listed }) => listed)),
    resources: views.flatMap(({ resources }) => resources),
    templates: views.flatMap(({ templates }) => templates),
  })
}

function routesOf(externals: readonly External[]): Routes {
  const tools = new Map<string, ToolRoute>()
  const prompts = new Map<string, PromptRoute>()
  const templates = new Map<string, string>()
  for (const external of externals)
    // Last, what callers see of whom nothing can be asked: the one that most see.
    for (const view of [...external.definitions.sets, ''].map((abilities) => external.viewFor(abilities))) {
      for (const tool of view.tools) tools.set(tool.name, { external, tool })
      for (const prompt of view.prompts) prompts.set(prompt.name, { external, prompt })
      for (const { uriTemplate } of view.templates)
        if (typeof uriTemplate === 'string') templates.set(uriTemplate, external.spec.id)
    }
  return { tools, prompts, templates }
}

/** What is shown at this moment, worked out once per change. */
export interface Showing {
  readonly enabled: readonly External[]
  readonly routes: Routes
  shownTo(caller: Caller): Shown
}

interface Parts {
  /** Moves whenever anything that is shown may have changed. */
  readonly epoch: () => number
  readonly all: () => ReadonlyMap<string, External>
  /** Finds out in the background what callers of a kind are shown. */
  readonly learn: (external: External, abilities: Abilities) => void
}

export function showingOver({ epoch, all, learn }: Parts): () => Showing {
  let known: Showing | undefined
  let knownAt = -1
  return () => {
    const now = epoch()
    if (known === undefined || knownAt !== now) [known, knownAt] = [freshShowing(all(), learn), now]
    return known
  }
}

function freshShowing(all: ReadonlyMap<string, External>, learn: Parts['learn']): Showing {
  const enabled = [...all.values()].filter(({ spec }) => spec.enabled)
  const shown = new Map<Abilities, Shown>()
  let routes: Routes | undefined
  return {
    enabled,
    get routes() {
      return (routes ??= routesOf(enabled))
    },
    shownTo(caller) {
      const abilities = abilitiesOf(caller)
      const known = shown.get(abilities)
      if (known !== undefined) return known
      const made = shownOf(enabled, abilities)
      shown.set(abilities, made)
      for (const external of enabled) learn(external, abilities)
      return made
    },
  }
}
