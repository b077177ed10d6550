// What a page says before anything else: what did not work, or what is done now.
import { html, type Html } from '../lib/html.ts'

export interface Problem {
  readonly message: string
  /** What to do next. */
  readonly hint?: string | undefined
}

/** Why something did not work, announced to those who hear the page; fields that are wrong point at it by `#problem`. */
export function problemNotice(problem: Problem | undefined): Html | false {
  if (problem === undefined) return false
  const { message, hint } = problem
  return html`<div class="notice bad" role="alert" id="problem">
    <p>${prose(message)}</p>
    ${hint !== undefined && html`<p>${prose(hint)}</p>`}
  </div>`
}

/** That something is done. */
export function doneNotice(message: string | undefined): Html | false {
  return message !== undefined && html`<div class="notice good" role="status"><p>${prose(message)}</p></div>`
}

/** A sentence of ours, with what it quotes in backticks set as code. */
function prose(sentence: string): readonly Html[] {
  return sentence.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
}
