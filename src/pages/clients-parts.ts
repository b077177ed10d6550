// What the lists on the page of clients share: the rest of a list, sentences, times, and a second question.
import { html, type Fragment, type Html } from '../lib/html.ts'
import { timeOf } from './time.ts'

/** Part of a list. */
export interface Shown<T> {
  readonly rows: readonly T[]
  readonly total: number
  /** Query of this page that shows the next part. */
  readonly more?: string | undefined
}

/** A form behind a summary, for what cannot be taken back. */
export function askedTwice(form: { summary: string; warning: string; action: string; button: string }): Html {
  return html`<details>
    <summary>${form.summary}</summary>
    <p>${form.warning}</p>
    <form method="post" action="${form.action}"><button class="danger">${form.button}</button></form>
  </details>`
}

/** Where the rest of a list is; nothing when there is no rest. */
export function moreLink(base: string, { more }: Shown<unknown>, titleId: string): Fragment {
  return (
    more !== undefined &&
    html`<p><a class="button quiet" href="${base}/clients?${more}#${titleId}">Show older ones</a></p>`
  )
}

export function sentencesOf(sentences: readonly string[]): Html {
  return html`<ul>
    ${sentences.map((sentence) => html`<li>${sentence}</li>`)}
  </ul>`
}

export const used = (lastUsedAt: number | null): Fragment =>
  lastUsedAt === null ? 'not used yet' : html`last used ${timeOf(lastUsedAt)}`
