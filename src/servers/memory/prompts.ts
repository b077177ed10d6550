// The prompts of the memory server: how a session begins and ends, and the whole of crow.md for a client that does not load it.
import type { ToolContext } from '../../runtime/context.ts'
import { fault } from '../../runtime/fault.ts'
import type { Prompt, PromptMessage } from '../../runtime/server.ts'
import { composeCrowMd } from './crow-md.ts'
import { mergeSections, type Section } from './policy/sections.ts'
import { sectionsFor } from './queries/sections.ts'
import { mayReadSections, scopeHere, SECTIONS_SCOPE } from './reading.ts'
import { isPlatform, PLATFORMS, renderCrowMd } from './render/crow-md.ts'
import { STATIC_SECTIONS } from './render/instructions.ts'

/** What a session is run by, in this order. */
const SESSION_KEYS = ['session_protocol', 'memory_protocol'] as const

export const prompts: readonly Prompt[] = [
  {
    name: 'session-start',
    title: 'Begin a session',
    description: 'What to do at the start, during and at the end of a session, and what to remember.',
    render: (_args, ctx) => message(sessionText(ctx)),
  },
  {
    name: 'crow-guide',
    title: 'crow.md',
    description: 'How this person wants to be served: the whole of crow.md, as this client should show it.',
    arguments: [{ name: 'platform', description: PLATFORMS.join(', ') }],
    render: ({ platform }, ctx) => message(guideText(ctx, platform)),
    complete: (argument, value) => (argument === 'platform' ? PLATFORMS.filter(startsWith(value)) : []),
  },
]

const message = (text: string): PromptMessage[] => [{ role: 'user', content: { type: 'text', text } }]

const startsWith = (value: string) => (platform: string) => platform.startsWith(value.trim().toLowerCase())

/** The sections as they apply; the static text for whoever may not read them, and where both are switched off. */
function sessionText(ctx: ToolContext): string {
  const sections = mayReadSections(ctx.caller) ? mergeSections(sectionsFor(ctx.db, scopeHere(ctx))) : []
  const own = pick(sections)
  return renderCrowMd(own.length > 0 ? own : pick(STATIC_SECTIONS), 'generic', undefined).replace(/^.*\n\n/, '')
}

function pick<One extends Pick<Section, 'key'>>(sections: readonly One[]): One[] {
  return SESSION_KEYS.flatMap((key) => sections.filter((section) => section.key === key))
}

function guideText(ctx: ToolContext, written = ''): string {
  const platform = written.trim().toLowerCase() || 'generic'
  if (!isPlatform(platform)) throw fault('VALIDATION_ERROR', `platform: must be one of ${PLATFORMS.join(', ')}`)
  if (!mayReadSections(ctx.caller))
    throw fault('FORBIDDEN', `This access does not cover crow.md: it needs the scope "${SECTIONS_SCOPE}".`)
  return composeCrowMd(ctx.db, { scope: scopeHere(ctx), platform, dynamic: false })
}
