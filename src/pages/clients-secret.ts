// The page that shows the secret of a new local token, this once, and what to put into the client that will use it.
import { html, type Html } from '../lib/html.ts'
import { inert } from './inert.ts'
import { operatorNav, page } from './shell.ts'

export interface SecretPage {
  readonly base: string
  readonly name: string
  readonly secret: string
  /** URLs it opens, by the name of their server. */
  readonly addresses: readonly { readonly serverName: string; readonly url: string }[]
  /** For the client that was chosen; absent for any other. */
  readonly client?: ShownSnippet | undefined
}

export interface ShownSnippet {
  readonly title: string
  /** One shell command a line, or a whole file. */
  readonly text: string
  readonly isCommand: boolean
  /** Name of the file, when the text belongs into one. */
  readonly file: string
  /** What the person does after that. */
  readonly afterwards: string
}

export function renderSecret({ base, name, secret, addresses, client }: SecretPage): string {
  return page({
    title: 'Your new token',
    base,
    nav: operatorNav('/clients'),
    body: html`<div class="notice good" role="status">
        <p>The token <bdi>${inert(name)}</bdi> is made. It is shown this once.</p>
      </div>
      <section aria-labelledby="secret-title">
        <h2 id="secret-title">Token</h2>
        <pre class="secret"><code>${secret}</code></pre>
        <p class="hint">Whoever has it may do what it allows. If it is lost, revoke it and make another.</p>
      </section>
      ${client !== undefined && snippetPart(client)}
      <section aria-labelledby="plain-title">
        <h2 id="plain-title">${client === undefined ? 'For your client' : 'For any other client'}</h2>
        <dl>
          ${addresses.map(
            ({ serverName, url }) =>
              html`<dt>${serverName}</dt>
                <dd class="code">${url}</dd>`,
          )}
        </dl>
        <p>It sends this header with every request:</p>
        <pre class="secret"><code>Authorization: Bearer ${secret}</code></pre>
      </section>
      <p><a class="button" href="${base}/clients">I have kept it</a></p>`,
  })
}

function snippetPart({ title, text, isCommand, file, afterwards }: ShownSnippet): Html {
  return html`<section aria-labelledby="snippet-title">
    <h2 id="snippet-title">For ${title}</h2>
    <p>${isCommand ? 'Run this in a shell:' : html`Put this into <code>${file}</code>:`}</p>
    <pre class="secret"><code>${text}</code></pre>
    <p>${afterwards}</p>
  </section>`
}
