// The page of everything that may come in beside the owner: connected clients, remembered consents, local tokens, registrations.
import { html, type Fragment, type Html } from '../lib/html.ts'
import { askedTwice, moreLink, sentencesOf, used, type Shown } from './clients-parts.ts'
import { type TokenForm, type ShownToken, tokensPart } from './clients-tokens.ts'
import { inert } from './inert.ts'
import { doneNotice, problemNotice, type Problem } from './notice.ts'
import { operatorNav, page } from './shell.ts'
import { timeOf } from './time.ts'

/** A client that was let in. Times in epoch milliseconds. */
export interface ShownConnection {
  readonly id: number
  readonly clientName: string
  /** Host of the client's metadata document, which vouches for the name. */
  readonly clientHost?: string | undefined
  readonly redirectHost: string
  readonly serverName: string
  /** What it may do, a sentence each. */
  readonly sentences: readonly string[]
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

/** A consent that is not asked for again. */
export interface ShownConsent {
  readonly key: string
  readonly clientName: string
  readonly clientHost?: string | undefined
  readonly serverNames: string
  readonly sentences: readonly string[]
  readonly createdAt: number
}

/** A client that may ask to be let in. */
export interface ShownClient {
  readonly key: string
  readonly name: string
  readonly isMadeByOwner: boolean
  readonly redirectHosts: readonly string[]
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

export interface ClientsPage {
  readonly base: string
  readonly connections: Shown<ShownConnection>
  readonly consents: Shown<ShownConsent>
  readonly clients: Shown<ShownClient>
  readonly tokens: Shown<ShownToken>
  readonly form: TokenForm
  readonly problem?: Problem | undefined
  /** What was just done, in a sentence. */
  readonly done?: string | undefined
}

export function renderClients(shown: ClientsPage): string {
  const { base, form, problem, done } = shown
  return page({
    title: 'Connected clients',
    base,
    nav: operatorNav('/clients'),
    body: html`${form.wrong === undefined && problemNotice(problem)}${doneNotice(done)} ${connectionsPart(shown)}
    ${tokensPart(shown)} ${consentsPart(shown)} ${clientsPart(shown)}`,
  })
}

const nameOf = (written: string): string => inert(written) || 'A client without a name'

function connectionsPart({ base, connections }: ClientsPage): Html {
  return html`<section aria-labelledby="connections-title">
    <h2 id="connections-title">Let in by you</h2>
    ${
      connections.total === 0
        ? html`<p>No client is connected. One asks you the first time it is used with the address of this gateway.</p>`
        : html`<ul class="rows">
              ${connections.rows.map((row) => connectionRow(base, row))}
            </ul>
            ${moreLink(base, connections, 'connections-title')}
            ${askedTwice({
              summary: 'Disconnect all of them',
              warning: 'Every client has to ask you again, also those whose consent was remembered.',
              action: `${base}/clients/revoke-all`,
              button: 'Disconnect every client',
            })}`
    }
  </section>`
}

function connectionRow(base: string, row: ShownConnection): Html {
  const name = nameOf(row.clientName)
  return html`<li>
    <div>
      <p>
        <strong><bdi>${name}</bdi></strong
        >${vouched(row.clientHost)}
      </p>
      <p>${row.serverName}, by way of <bdi>${inert(row.redirectHost, 253)}</bdi></p>
      ${sentencesOf(row.sentences)}
      <p class="hint">Since ${timeOf(row.createdAt)}, ${used(row.lastUsedAt)}</p>
    </div>
    <form method="post" action="${base}/clients/revoke">
      <input type="hidden" name="id" value="${row.id}" />
      <button class="danger" aria-label="Disconnect ${name}, since ${isoOf(row.createdAt)}">Disconnect</button>
    </form>
  </li>`
}

function consentsPart({ base, consents }: ClientsPage): Fragment {
  if (consents.total === 0) return undefined
  return html`<section aria-labelledby="consents-title">
    <h2 id="consents-title">Not asked about again</h2>
    <p>These web sites are let in again without a question, as long as they ask for the same.</p>
    <ul class="rows">
      ${consents.rows.map((row) => consentRow(base, row))}
    </ul>
    ${moreLink(base, consents, 'consents-title')}
    ${askedTwice({
      summary: 'Forget all of them',
      warning: 'You are asked again about each. What is connected stays connected.',
      action: `${base}/clients/consents/forget-all`,
      button: 'Forget every consent',
    })}
  </section>`
}

function consentRow(base: string, row: ShownConsent): Html {
  const name = row.clientName === '' && row.clientHost !== undefined ? row.clientHost : nameOf(row.clientName)
  return html`<li>
    <div>
      <p>
        <strong><bdi>${inert(name, 253)}</bdi></strong>
      </p>
      <p>${row.serverNames}</p>
      ${sentencesOf(row.sentences)}
      <p class="hint">Since ${timeOf(row.createdAt)}</p>
    </div>
    <form method="post" action="${base}/clients/consents/forget">
      <input type="hidden" name="key" value="${row.key}" />
      <button class="danger" aria-label="Ask again about ${inert(name, 253)}, since ${isoOf(row.createdAt)}">
        Ask again
      </button>
    </form>
  </li>`
}

function clientsPart({ base, clients }: ClientsPage): Fragment {
  if (clients.total === 0) return undefined
  return html`<section aria-labelledby="clients-title">
    <h2 id="clients-title">Registered</h2>
    <p>Any program may register. That opens nothing: it can only ask you to be let in.</p>
    <details>
      <summary>Show the ${clients.total === 1 ? 'one' : clients.total} that did</summary>
      <ul class="rows">
        ${clients.rows.map((row) => clientRow(base, row))}
      </ul>
      ${moreLink(base, clients, 'clients-title')}
    </details>
  </section>`
}

function clientRow(base: string, row: ShownClient): Html {
  const name = nameOf(row.name)
  return html`<li>
    <div>
      <p>
        <strong><bdi>${name}</bdi></strong
        >${row.isMadeByOwner && ' (made by you)'}
      </p>
      <p><bdi>${inert(row.redirectHosts.join(', '), 253)}</bdi></p>
      <p class="hint">
        Since ${timeOf(row.createdAt)},
        ${row.lastUsedAt === null ? 'never let in' : html`let in ${timeOf(row.lastUsedAt)}`}
      </p>
    </div>
    <form method="post" action="${base}/clients/registered/forget">
      <input type="hidden" name="key" value="${row.key}" />
      <button class="danger" aria-label="Forget ${name}, registered ${isoOf(row.createdAt)}">Forget</button>
    </form>
  </li>`
}

const vouched = (host: string | undefined): Fragment =>
  host !== undefined && html`, as <bdi>${inert(host, 253)}</bdi> says`

/** Tells buttons of one name apart for those who hear the page. */
const isoOf = (at: number): string => new Date(at).toISOString()
