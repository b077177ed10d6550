// What waits for the owner's word: changes of crow.md that AI clients wish for. The page says that they wait and how to decide;
// it shows none of their text, which is for `crow context diff` to spell out.
import { html, type Html } from '../lib/html.ts'
import { inert } from './inert.ts'
import { timeOf } from './time.ts'

/** A change as the page shows it. Times in epoch milliseconds. */
export interface ShownChange {
  readonly id: number
  /** What it would do: `change identity (global)`. */
  readonly name: string
  /** Who wishes for it. */
  readonly by: string
  readonly createdAt: number
}

const SHOWN_MAX = 10
const NAME_CHARS_MAX = 120

/** Nothing where nothing waits. @param changes oldest first */
export function waitingPart(changes: readonly ShownChange[]): Html | false {
  const [first] = changes
  if (first === undefined) return false
  const more = changes.length - SHOWN_MAX
  return html`<section aria-labelledby="waiting-title">
    <h2 id="waiting-title">
      ${changes.length === 1 ? 'A change of crow.md waits for you' : `${changes.length} changes of crow.md wait for you`}
    </h2>
    <p>Your AI clients read crow.md as instructions. It stays as it is until you decide, in a terminal:</p>
    <pre>
crow context diff ${first.id}
crow context approve ${first.id}
crow context reject ${first.id}</pre>
    <ul class="rows">
      ${changes.slice(0, SHOWN_MAX).map(changeRow)}
    </ul>
    ${more > 0 && html`<p>And ${more} more: <code>crow context pending</code></p>`}
  </section>`
}

function changeRow({ id, name, by, createdAt }: ShownChange): Html {
  return html`<li>
    <div>
      <p>
        <strong>${id}: <bdi>${inert(name, NAME_CHARS_MAX)}</bdi></strong>
      </p>
      <p class="hint">wished by <bdi>${inert(by)}</bdi>, ${timeOf(createdAt)}</p>
    </div>
  </li>`
}
