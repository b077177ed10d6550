// The page that asks the owner whether a client may come in: who asks, where the answer goes, and what it would be allowed.
import { html, type Html } from '../lib/html.ts'
import { inert } from './inert.ts'
import { problemNotice } from './notice.ts'
import { page } from './shell.ts'

export interface ConsentScope {
  readonly scope: string
  /** What it allows, in one sentence. */
  readonly sentence: string
  readonly ticked: boolean
}

export interface Consent {
  readonly base: string
  /** Path that takes the answer, without the base: `/interaction/<uid>`. */
  readonly action: string
  /** The name the client gave itself. Anybody can take any name. */
  readonly clientName: string
  /** Host of the redirect, or its private scheme. */
  readonly redirectHost: string
  /** Whether every redirect of the client stays on this machine or is a private scheme: any program there can take it. */
  readonly loopbackOnly: boolean
  /** Host of the client's metadata document, which vouches for the name. */
  readonly clientHost?: string | undefined
  /** What it asks for: `memory`, or `every server of this gateway`. */
  readonly audienceName: string
  readonly scopes: readonly ConsentScope[]
  /** Why the answer was not taken. */
  readonly problem?: string | undefined
}

/**
 * The form posts `decision` (`allow` or `deny`) and, for each scope that is ticked, `scope`.
 * Its answer redirects to the client, so `form-action` of the page has to name where: see `formActionFor`.
 */
export function renderConsent(consent: Consent): string {
  const { base, action, scopes, problem } = consent
  const name = inert(consent.clientName) || 'A client without a name'
  return page({
    title: 'Let this client in?',
    base,
    body: html`${problemNotice(problem === undefined ? undefined : { message: problem })}
      <section aria-labelledby="who">
        <h2 id="who">Who asks</h2>
        <dl>
          <dt>Name it gave itself</dt>
          <dd><bdi>${name}</bdi></dd>
          ${
            consent.clientHost !== undefined &&
            html`<dt>Vouched for by</dt>
              <dd><bdi>${inert(consent.clientHost, 253)}</bdi></dd>`
          }
          <dt>The answer goes to</dt>
          <dd><bdi>${inert(consent.redirectHost, 253)}</bdi></dd>
          <dt>It wants to use</dt>
          <dd>${consent.audienceName}</dd>
        </dl>
      </section>
      ${consent.loopbackOnly ? loopbackWarning() : html`<p>Go on only if you started this yourself, a moment ago, and know the address above.</p>`}
      <form method="post" action="${base}${action}" class="card">
        <fieldset>
          <legend>What it may do</legend>
          <ul class="choices">
            ${scopes.map(choice)}
          </ul>
        </fieldset>
        <div class="actions">
          <button name="decision" value="allow">Allow what is ticked</button>
          <button name="decision" value="deny" class="quiet">Deny</button>
        </div>
      </form> `,
  })
}

function choice({ scope, sentence, ticked }: ConsentScope): Html {
  return html`<li>
    <label
      ><input type="checkbox" name="scope" value="${scope}" ${ticked && html` checked`} /><span
        >${sentence}</span
      ></label
    >
  </li>`
}

function loopbackWarning(): Html {
  return html`<div class="notice bad" role="note">
    <p>
      <strong>The answer stays on the device you are using.</strong> Any program there can ask under any name. Allow
      this only if you started it yourself, a moment ago.
    </p>
  </div>`
}
