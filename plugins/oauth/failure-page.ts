// The page of an authorization that cannot go on, and cannot be sent back to its client either.
import { html } from '../../src/lib/html.ts'
import { inert } from '../../src/pages/inert.ts'
import { page } from '../../src/pages/shell.ts'

const SENTENCES: Readonly<Record<string, string>> = {
  invalid_client: 'This gateway does not know the app that sent you here. Remove it in the app and connect it again.',
  invalid_redirect_uri: 'The app asks to be answered at an address that it did not register, so nothing is sent there.',
  temporarily_unavailable: 'The gateway is busy. Try again in a moment.',
  server_error: 'Something went wrong inside the gateway. Its log says what.',
}

/** @param sentence for whoever wrote the app, in its own words */
export function renderFailure(base: string, error: string, sentence: string | undefined): string {
  const told = SENTENCES[error] ?? 'The app that sent you here made a mistake in its request.'
  return page({
    title: 'This app cannot be connected',
    base,
    body: html`<div class="notice bad" role="alert"><p>${told}</p></div>
      <p class="hint"><code>${inert(error)}</code>${sentence !== undefined && html`: ${inert(sentence, 300)}`}</p>`,
  })
}
