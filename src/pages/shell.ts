// The frame of every page: head, navigation and one stylesheet. It needs no script, and nothing from another host.
import { html, type Html } from '../lib/html.ts'
import { stylesheetPath } from './style.ts'

export interface NavItem {
  readonly href: string
  readonly label: string
  readonly isCurrent?: boolean
}

export interface Page {
  readonly title: string
  /** Path of the public URL, which stands before every path of ours; empty at the root. */
  readonly base: string
  readonly body: Html
  readonly lang?: string
  /** Links of the signed-in operator, their paths without the base. */
  readonly nav?: readonly NavItem[]
}

/** A whole document. */
export function page({ title, base, body, lang = 'en', nav = [] }: Page): string {
  return html`<!doctype html>
    <html lang="${lang}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · Crow</title>
        <link rel="stylesheet" href="${base}${stylesheetPath}" />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <header>
          <p class="brand">Crow</p>
          ${nav.length > 0 && navigation(base, nav)}
        </header>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `.toString()
}

function navigation(base: string, items: readonly NavItem[]): Html {
  return html`<nav aria-label="Pages">
    <ul>
      ${items.map(
        ({ href, label, isCurrent = false }) =>
          html`<li><a href="${base}${href}" ${isCurrent && html` aria-current="page"`}>${label}</a></li>`,
      )}
    </ul>
  </nav>`
}

/** The pages of the signed-in operator; `current` is the path of the one that is shown. */
export function operatorNav(current: string): NavItem[] {
  return [
    { href: '/account', label: 'Account' },
    { href: '/clients', label: 'Connected clients' },
  ].map((item) => ({ ...item, isCurrent: item.href === current }))
}
