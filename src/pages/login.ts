// The pages before the door: the first password, and signing in.
import { html, type Html } from '../lib/html.ts'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from './bounds.ts'
import { problemNotice, type Problem } from './notice.ts'
import { page } from './shell.ts'

export interface LoginForm {
  readonly base: string
  /** Path of ours to go to afterwards. */
  readonly next?: string | undefined
  readonly hasSecondFactor: boolean
  /** Why the last attempt did not work, and what to do. */
  readonly problem?: Problem | undefined
}

export function renderLogin({ base, next, hasSecondFactor, problem }: LoginForm): string {
  return page({
    title: 'Sign in',
    base,
    body: html`${problemNotice(problem)}
      <form method="post" action="${base}/login" class="card">
        ${nextField(next)}
        <input type="text" name="username" value="operator" autocomplete="username" hidden />
        ${passwordField({ name: 'password', label: 'Password', autocomplete: 'current-password', isWrong: problem !== undefined })}
        ${hasSecondFactor && codeField(problem !== undefined, 'Six digits from your app, or a recovery code.')}
        <button>Sign in</button>
      </form>
      <p class="hint">
        Forgotten it? <code>bin/crow operator password</code>, in the folder of Crow on its machine, sets another.
      </p> `,
  })
}

export function renderSetup({ base, next, problem }: Omit<LoginForm, 'hasSecondFactor'>): string {
  return page({
    title: 'Set the first password',
    base,
    body: html`${problemNotice(problem)}
      <p>
        Whoever has this password decides which AI clients may use this gateway. To prove that it is yours, show a code
        in the folder of Crow, on its machine:
      </p>
      <pre><code>bin/crow operator setup-code</code></pre>
      <form method="post" action="${base}/setup" class="card">
        ${nextField(next)}
        <input type="text" name="username" value="operator" autocomplete="username" hidden />
        <div class="field">
          <label for="code">Code from the terminal</label>
          <input
            type="text"
            id="code"
            name="code"
            required
            autocomplete="off"
            autocapitalize="characters"
            spellcheck="false"
            maxlength="4096"
            ${described('', problem !== undefined)}
          />
        </div>
        ${newPasswordFields(problem !== undefined)}
        <button>Set the password</button>
      </form> `,
  })
}

const nextField = (next: string | undefined): Html | false =>
  next !== undefined && html`<input type="hidden" name="next" value="${next}" />`

/** A new password, twice. */
export function newPasswordFields(isWrong: boolean): Html {
  return html`${passwordField({ name: 'password', label: 'New password', autocomplete: 'new-password', isWrong, hint: `At least ${PASSWORD_LENGTH_MIN} characters. A few words that do not belong together make a good one.` })}
  ${passwordField({ name: 'repeated', label: 'The same again', autocomplete: 'new-password', isWrong })}`
}

export interface PasswordField {
  readonly name: string
  readonly label: string
  readonly autocomplete: 'current-password' | 'new-password'
  readonly isWrong: boolean
  readonly hint?: string
  /** Tells it from a field of the same name in another form of the page. */
  readonly id?: string
}

export function passwordField({ name, label, autocomplete, isWrong, hint, id = name }: PasswordField): Html {
  const hintId = hint === undefined ? '' : `${id}-hint`
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <input
      type="password"
      id="${id}"
      name="${name}"
      required
      autocomplete="${autocomplete}"
      maxlength="${PASSWORD_LENGTH_MAX}"
      ${described(hintId, isWrong)}
    />
    ${hint !== undefined && html`<p class="hint" id="${hintId}">${hint}</p>`}
  </div>`
}

/** The code of the second factor. */
export function codeField(isWrong: boolean, hint: string): Html {
  return html`<div class="field">
    <label for="code">Code</label>
    <input
      type="text"
      id="code"
      name="code"
      required
      autocomplete="one-time-code"
      inputmode="numeric"
      maxlength="40"
      spellcheck="false"
      ${described('code-hint', isWrong)}
    />
    <p class="hint" id="code-hint">${hint}</p>
  </div>`
}

/** Ties a field to its hint and to what was wrong, for those who hear the page. */
function described(hintId: string, isWrong: boolean): Html {
  const ids = [isWrong && 'problem', hintId].filter((id) => id !== false && id !== '').join(' ')
  return html`${ids !== '' && html` aria-describedby="${ids}"`}${isWrong && html` aria-invalid="true"`}`
}
