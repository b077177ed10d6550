// The part of the page of clients that lists the local tokens, and the form that makes one.
import { html, type Fragment, type Html } from '../lib/html.ts'
import { askedTwice, moreLink, sentencesOf, used, type Shown } from './clients-parts.ts'
import { inert } from './inert.ts'
import { problemNotice, type Problem } from './notice.ts'
import { timeOf } from './time.ts'

/** A local token. Times in epoch milliseconds. */
export interface ShownToken {
  readonly id: number
  readonly name: string
  readonly isExpired: boolean
  readonly sentences: readonly string[]
  readonly createdAt: number
  /** Null for one that lasts until it is revoked. */
  readonly expiresAt: number | null
  readonly lastUsedAt: number | null
}

/** What the form holds: what was typed before, or what it proposes. */
export interface TokenForm {
  readonly name: string
  readonly scopes: readonly { readonly scope: string; readonly sentence: string; readonly ticked: boolean }[]
  /** Whether it is for everything, whatever else is ticked. */
  readonly everything: boolean
  /** Days until it expires; 0 for never. */
  readonly days: number
  /** Id of the client it is for; empty for any other. */
  readonly client: string
  readonly clients: readonly { readonly id: string; readonly title: string }[]
  /** The field that was refused. */
  readonly wrong?: 'name' | 'scope' | undefined
}

const LIFETIMES: readonly (readonly [days: number, words: string])[] = [
  [1, 'a day'],
  [7, 'a week'],
  [30, '30 days'],
  [90, '90 days'],
  [365, 'a year'],
  [0, 'until I revoke it'],
]

interface TokensPart {
  readonly base: string
  readonly tokens: Shown<ShownToken>
  readonly form: TokenForm
  readonly problem?: Problem | undefined
}

export function tokensPart({ base, tokens, form, problem }: TokensPart): Html {
  return html`<section aria-labelledby="tokens-title">
    <h2 id="tokens-title">Tokens of your own</h2>
    <p>For clients and programs that cannot ask you on a page like this one.</p>
    ${
      tokens.total > 0 &&
      html`<ul class="rows">
          ${tokens.rows.map((row) => tokenRow(base, row))}
        </ul>
        ${moreLink(base, tokens, 'tokens-title')}
        ${
          tokens.total > 1 &&
          askedTwice({
            summary: 'Revoke all of them',
            warning: 'Every program that uses one is sent away at once.',
            action: `${base}/clients/tokens/revoke-all`,
            button: 'Revoke every token',
          })
        }`
    }
    <h3 id="make-token">Make a token</h3>
    ${form.wrong !== undefined && problemNotice(problem)} ${tokenForm(base, form)}
  </section>`
}

function tokenRow(base: string, row: ShownToken): Html {
  const { expiresAt } = row
  const end =
    expiresAt === null ? 'does not expire' : html`${row.isExpired ? 'expired' : 'expires'} ${timeOf(expiresAt)}`
  return html`<li>
    <div>
      <p>
        <strong><bdi>${inert(row.name)}</bdi></strong
        >${row.isExpired && ' (expired)'}
      </p>
      ${sentencesOf(row.sentences)}
      <p class="hint">Since ${timeOf(row.createdAt)}, ${used(row.lastUsedAt)}, ${end}</p>
    </div>
    <form method="post" action="${base}/clients/tokens/revoke">
      <input type="hidden" name="id" value="${row.id}" />
      <button class="danger" aria-label="Revoke ${inert(row.name)}, number ${row.id}">Revoke</button>
    </form>
  </li>`
}

function tokenForm(base: string, form: TokenForm): Html {
  const { name, scopes, everything, days, client, clients, wrong } = form
  return html`<form method="post" action="${base}/clients/tokens#make-token">
    <div class="field">
      <label for="token-name">Name</label>
      <input
        type="text"
        id="token-name"
        name="name"
        value="${name}"
        maxlength="80"
        required
        autocomplete="off"
        aria-describedby="token-name-hint${wrong === 'name' && ' problem'}"
        ${wrong === 'name' && html` aria-invalid="true"`}
      />
      <p class="hint" id="token-name-hint">What it is for, such as the client or the machine.</p>
    </div>
    <fieldset class="field" ${wrong === 'scope' && html` aria-describedby="problem"`}>
      <legend>What it may do</legend>
      <ul class="choices">
        ${scopes.map((choice) => tick('scope', choice.scope, choice.ticked, choice.sentence))}
        ${tick('everything', 'true', everything, 'Everything, also on servers that come later.')}
      </ul>
    </fieldset>
    <div class="field">
      <label for="token-days">It lasts</label>
      <select id="token-days" name="days">
        ${LIFETIMES.map(([value, words]) => option(String(value), words, value === days))}
      </select>
    </div>
    <div class="field">
      <label for="token-client">Show how to set up</label>
      <select id="token-client" name="client">
        ${clients.map(({ id, title }) => option(id, title, id === client))}
        ${option('', 'another client', client === '')}
      </select>
    </div>
    <button>Make the token</button>
  </form>`
}

function tick(name: string, value: string, isTicked: boolean, sentence: string): Html {
  return html`<li>
    <label
      ><input type="checkbox" name="${name}" value="${value}" ${isTicked && html` checked`} /><span
        >${sentence}</span
      ></label
    >
  </li>`
}

const option = (value: string, words: string, isChosen: boolean): Fragment =>
  html`<option value="${value}" ${isChosen && html`selected`}>${words}</option>`
