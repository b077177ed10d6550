// Times on a page: to the minute and in UTC, because the gateway does not know where its reader is.
import { html, type Html } from '../lib/html.ts'

/** @param at epoch milliseconds */
export function timeOf(at: number): Html {
  const iso = new Date(at).toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`
}
