// The one stylesheet of all pages, and its address: the hash of its text is in the name, so that it may be kept for ever.
import { sha256Hex } from '../lib/hashing.ts'

export const stylesheet = `:root {
  color-scheme: light dark;
  --ink: #1b1d22; --quiet: #50545e; --paper: #f6f6f4; --card: #ffffff; --line: #8a8f99;
  --accent: #234f9e; --on-accent: #ffffff; --bad: #a3160f; --bad-paper: #fdeeec; --good: #1c5c2e; --good-paper: #e9f5ec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #eceef2; --quiet: #b3b8c2; --paper: #15171b; --card: #1f2228; --line: #7c828e;
    --accent: #9dc0ff; --on-accent: #0d1830; --bad: #ffb1aa; --bad-paper: #3a1a18; --good: #a6e3b6; --good-paper: #16301f;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; background: var(--paper); color: var(--ink); }
body { margin: 0; padding: 0 1rem 3rem; overflow-wrap: anywhere; }
header, main { max-width: 42rem; margin: 0 auto; }
header { display: flex; flex-wrap: wrap; gap: 0 1.5rem; align-items: center; min-height: 4rem; padding: .5rem 0; }
.brand { margin: 0; font-weight: 700; letter-spacing: .02em; }
nav ul { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0; padding: 0; list-style: none; }
nav a { display: inline-flex; align-items: center; min-height: 2.75rem; }
nav a[aria-current] { color: var(--ink); font-weight: 600; text-decoration: none; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 0 0 .75rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
p, ul, ol, dl { margin: 0 0 1rem; }
a { color: var(--accent); }
section, .card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1.1rem; margin: 0 0 1.25rem; }
section > :last-child, .card > :last-child, form > :last-child, details > :last-child, dl > dd:last-child { margin-bottom: 0; }
form { margin: 0 0 1rem; }
label { display: block; font-weight: 600; margin: 0 0 .3rem; }
.field { margin: 0 0 1rem; }
.hint { color: var(--quiet); font-size: .92rem; margin: .3rem 0 0; }
input[type="text"], input[type="password"], input[type="number"], select {
  width: 100%; min-height: 2.75rem; padding: .5rem .7rem; font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--line); border-radius: .4rem;
}
button, .button {
  display: inline-flex; align-items: center; justify-content: center; min-width: 2.75rem; min-height: 2.75rem; padding: .5rem 1.1rem; font: inherit; font-weight: 600; cursor: pointer; text-decoration: none;
  color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: .4rem;
}
button.quiet, .button.quiet { color: var(--accent); background: transparent; }
button.danger { color: var(--bad); background: transparent; border-color: var(--bad); }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; }
.actions form { margin: 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.notice { padding: .8rem 1rem; margin: 0 0 1.25rem; border: 1px solid currentColor; border-left-width: .4rem; border-radius: .4rem; }
.notice > :last-child { margin-bottom: 0; }
.notice.bad { color: var(--bad); background: var(--bad-paper); }
.notice.good { color: var(--good); background: var(--good-paper); }
.rows { list-style: none; padding: 0; margin-bottom: .5rem; }
.rows > li { padding: .8rem 0; border-top: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: .5rem 1rem; justify-content: space-between; align-items: center; }
.rows > li > div { flex: 1 1 14rem; min-width: 0; }
.rows p { margin: 0; }
.choices { list-style: none; padding: 0; margin: .25rem 0 1rem; }
.field > .choices { margin-bottom: 0; }
.choices label { display: flex; gap: .7rem; align-items: flex-start; min-height: 2.75rem; padding: .625rem 0; margin: 0; font-weight: 400; cursor: pointer; }
.choices input { flex: none; width: 1.25rem; height: 1.25rem; margin: .15rem 0 0; accent-color: var(--accent); }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
legend { padding: 0; font-weight: 600; }
dl { display: grid; grid-template-columns: auto; gap: .1rem 1rem; }
dt { color: var(--quiet); }
dd { margin: 0 0 .5rem; font-weight: 600; }
pre { margin: 0 0 1rem; padding: .7rem; white-space: pre-wrap; background: var(--paper); border: 1px solid var(--line); border-radius: .4rem; }
.secret { user-select: all; }
.rows ul { margin: .25rem 0; padding-left: 1.2rem; }
code, .code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .95em; }
.qr { display: block; width: 100%; max-width: 15rem; height: auto; background: #ffffff; border-radius: .4rem; margin: 0 0 1rem; }
.codes { columns: 2 11rem; padding: 0; list-style: none; }
.codes li { padding: .2rem 0; break-inside: avoid; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; padding: .5rem .5rem .5rem 0; border-top: 1px solid var(--line); vertical-align: top; }
details { margin: 0 0 .5rem; }
summary { min-height: 2.75rem; padding: .625rem 0; cursor: pointer; color: var(--accent); }
bdi { unicode-bidi: isolate; }
@media (max-width: 26rem) { .actions > button, .actions > .button { flex: 1 1 auto; } }
@media (min-width: 34rem) { dl { grid-template-columns: max-content 1fr; } dd { margin: 0; } }
@media (prefers-contrast: more) { :root { --line: currentColor; } }
`

/** Path of the stylesheet below the base. */
export const stylesheetPath = `/assets/crow-${sha256Hex(stylesheet).slice(0, 16)}.css`
