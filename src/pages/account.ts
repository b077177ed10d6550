// The page of the signed-in owner: password, second factor, and where else they are signed in.
import { html, type Html } from '../lib/html.ts'
import { browserOf } from './browser.ts'
import { inert } from './inert.ts'
import { codeField, newPasswordFields, passwordField } from './login.ts'
import { doneNotice, problemNotice, type Problem } from './notice.ts'
import { qrCode } from './qr.ts'
import { operatorNav, page } from './shell.ts'
import { timeOf } from './time.ts'
import { waitingPart, type ShownChange } from './waiting.ts'

/** A session as the page shows it. Times in epoch milliseconds. */
export interface ShownSession {
  readonly id: number
  readonly userAgent: string
  readonly address: string
  readonly createdAt: number
  readonly lastSeenAt: number
}

export interface Account {
  readonly base: string
  readonly sessions: readonly ShownSession[]
  /** Id of the session that looks at the page. */
  readonly current: number
  readonly hasSecondFactor: boolean
  readonly recoveryCodesLeft: number
  /** Changes of crow.md that wait, oldest first. */
  readonly waiting: readonly ShownChange[]
  readonly problem?: Problem | undefined
  /** What was just done, in a sentence. */
  readonly done?: string | undefined
}

const NAV = operatorNav('/account')

export function renderAccount(account: Account): string {
  const { base, problem, done } = account
  return page({
    title: 'Account',
    base,
    nav: NAV,
    body: html`${problemNotice(problem)}${doneNotice(done)} ${waitingPart(account.waiting)} ${sessionsPart(account)}
    ${factorPart(account)} ${passwordPart(base)}`,
  })
}

function passwordPart(base: string): Html {
  return html`<section aria-labelledby="password-title">
    <h2 id="password-title">Password</h2>
    <p>Changing it signs you out everywhere else.</p>
    <form method="post" action="${base}/account/password">
      ${userName()}
      ${passwordField({ name: 'current', label: 'Current password', autocomplete: 'current-password', isWrong: false })}
      ${newPasswordFields(false)}
      <button>Change the password</button>
    </form>
  </section>`
}

function factorPart({ base, hasSecondFactor, recoveryCodesLeft }: Account): Html {
  if (!hasSecondFactor) {
    return html`<section aria-labelledby="factor-title">
      <h2 id="factor-title">Second factor</h2>
      <p>Off. With it, signing in takes a code from an app on your phone beside the password.</p>
      ${confirmed({ base, path: '/account/second-factor', id: 'factor-password', button: 'Set up a second factor' })}
    </section>`
  }
  return html`<section aria-labelledby="factor-title">
    <h2 id="factor-title">Second factor</h2>
    <p>On. ${recoveryCodesLeft === 1 ? '1 recovery code is' : `${recoveryCodesLeft} recovery codes are`} left.</p>
    <details>
      <summary>Make new recovery codes</summary>
      <p>The old ones stop working.</p>
      ${confirmed({ base, path: '/account/recovery-codes', id: 'codes-password', button: 'Make new codes' })}
    </details>
    <details>
      <summary>Turn the second factor off</summary>
      ${confirmed({ base, path: '/account/second-factor/off', id: 'off-password', button: 'Turn it off', kind: 'danger' })}
    </details>
  </section>`
}

interface ConfirmedForm {
  readonly base: string
  readonly path: string
  /** Of the password field. */
  readonly id: string
  readonly button: string
  readonly kind?: 'danger'
}

/** A form that needs the password again: whoever finds the browser open cannot change how one signs in. */
function confirmed({ base, path, id, button, kind }: ConfirmedForm): Html {
  return html`<form method="post" action="${base}${path}">
    ${userName()}
    ${passwordField({ name: 'current', id, label: 'Your password', autocomplete: 'current-password', isWrong: false })}
    <button ${kind !== undefined && html`class="${kind}"`}>${button}</button>
  </form>`
}

/** Password managers look for a name beside a password. */
export const userName = (): Html =>
  html`<input type="text" name="username" value="operator" autocomplete="username" hidden />`

function sessionsPart({ base, sessions, current }: Account): Html {
  return html`<section aria-labelledby="sessions-title">
    <h2 id="sessions-title">Where you are signed in</h2>
    <ul class="rows">
      ${sessions.map((session) => sessionRow(base, session, session.id === current))}
    </ul>
    <div class="actions">
      <form method="post" action="${base}/logout"><button class="quiet">Sign out here</button></form>
      ${
        sessions.length > 1 &&
        html`<form method="post" action="${base}/account/sessions/revoke-others">
          <button class="danger">Sign out everywhere else</button>
        </form>`
      }
    </div>
  </section>`
}

function sessionRow(base: string, session: ShownSession, isCurrent: boolean): Html {
  const { id, userAgent, address, createdAt, lastSeenAt } = session
  const name = browserOf(userAgent)
  return html`<li>
    <div>
      <p><strong>${name}</strong>${isCurrent && ' (this one)'}</p>
      <p class="hint">${inert(address)}, since ${timeOf(createdAt)}, last seen ${timeOf(lastSeenAt)}</p>
    </div>
    ${
      !isCurrent &&
      html`<form method="post" action="${base}/account/sessions/revoke">
        <input type="hidden" name="id" value="${id}" />
        <button class="danger" aria-label="Sign out ${name}, since ${new Date(createdAt).toISOString()}">
          Sign out
        </button>
      </form>`
    }
  </li>`
}

export interface EnrolmentPage {
  readonly base: string
  /** Base 32. */
  readonly secret: string
  /** `otpauth://…` */
  readonly address: string
  readonly problem?: Problem | undefined
}

export async function renderEnrolment({ base, secret, address, problem }: EnrolmentPage): Promise<string> {
  return page({
    title: 'Set up a second factor',
    base,
    nav: NAV,
    body: html`${problemNotice(problem)}
      <section aria-labelledby="scan-title">
        <h2 id="scan-title">1. Add it to your app</h2>
        <p>Scan this with an authenticator app, or type the key into it.</p>
        ${await qrCode(address, 'QR code of the key below')}
        <p>Key: <span class="code">${secret.replaceAll(/.{4}(?=.)/g, '$& ')}</span></p>
      </section>
      <section aria-labelledby="type-title">
        <h2 id="type-title">2. Type the code it shows</h2>
        <form method="post" action="${base}/account/second-factor/confirm">
          ${codeField(problem !== undefined, 'Six digits, new ones every half minute.')}
          <div class="actions">
            <button>Turn it on</button>
            <a class="button quiet" href="${base}/account">Not now</a>
          </div>
        </form>
      </section>`,
  })
}

export function renderRecoveryCodes({
  base,
  codes,
}: {
  readonly base: string
  readonly codes: readonly string[]
}): string {
  return page({
    title: 'Recovery codes',
    base,
    nav: NAV,
    body: html`<div class="notice good" role="status">
        <p>The second factor is on. These codes are shown this once.</p>
      </div>
      <section aria-labelledby="codes-title">
        <h2 id="codes-title">Keep these somewhere safe</h2>
        <p>Each one stands in for a code of your app, once, when the phone is lost.</p>
        <ul class="codes code">
          ${codes.map((code) => html`<li>${code}</li>`)}
        </ul>
        <p><a class="button" href="${base}/account">I have kept them</a></p>
      </section>`,
  })
}
