// A real Chromium for the pages of the gateway: it reaches nothing but this machine, and everything it asks for is noted.
import { mkdir } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'
import { PASSWORD } from '../fixtures/sign-in.ts'

/** Another program, or another place for it, by CROW_CHROMIUM; pictures go to CROW_SCREENSHOTS where that is set. */
const { CROW_CHROMIUM: PROGRAM = '/usr/bin/chromium', CROW_SCREENSHOTS: PICTURES } = process.env
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Web sites of the tests are on this machine too.
  '--host-resolver-rules=MAP *.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
export const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }

export async function launch(t: TestContext): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: PROGRAM, headless: true, args: FLAGS })
  t.after(() => browser.close())
  return browser
}

export interface Visitor {
  readonly context: BrowserContext
  readonly page: Page
  /** Hosts of everything that was asked for. */
  readonly hosts: ReadonlySet<string>
  /** What the browser complained about: refused by a policy, not found, broken. */
  readonly complaints: readonly string[]
}

export async function visitor(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext(options)
  const hosts = new Set<string>()
  const complaints: string[] = []
  context.on('request', (request) => void hosts.add(new URL(request.url()).host))
  const page = await context.newPage()
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
  page.on('pageerror', (error) => void complaints.push(String(error)))
  return { context, page, hosts, complaints }
}

export async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** The page of consent; after a login the browser comes to it by way of another. */
export async function atConsent(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Let this client in?' }).waitFor()
}

/** Of a finger (WCAG 2.5.5), in pixels of CSS. */
const TARGET_PX = 44

interface Seen {
  readonly scripts: number
  readonly width: number
  readonly screen: number
  /** What a finger may miss, and what shows no ring when the keyboard reaches it. */
  readonly small: readonly string[]
  readonly ringless: readonly string[]
}

/** Runs in the page. A tick is as large as its label; a link within a sentence is as large as its line. */
const LOOK = `(() => {
  const told = (element) => element.outerHTML.slice(0, 120)
  const seen = [...document.querySelectorAll('a, button, input, select, summary')].filter((element) => element.checkVisibility() && element.type !== 'hidden')
  const alone = (element) => !(element.matches('p > a') && element.parentElement.textContent.trim() !== element.textContent.trim())
  const box = (element) => (element.closest('label') ?? element).getBoundingClientRect()
  const hasRing = (element) => {
    element.focus({ focusVisible: true })
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    return outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2
  }
  const ringless = seen.filter((element) => !hasRing(element)).map(told)
  document.activeElement?.blur()
  return {
    scripts: document.scripts.length,
    width: document.documentElement.scrollWidth,
    screen: innerWidth,
    small: seen.filter(alone).filter((element) => Math.min(box(element).height, box(element).width) < ${TARGET_PX}).map(told),
    ringless,
  }
})()`

/**
 * Looks at a page in light and dark: no violation of axe's rules, no script, nothing wider than the screen, nothing too small for a
 * finger, a ring around whatever the keyboard reaches. Takes its picture.
 * @param name of the picture
 */
export async function inspect(page: Page, name: string): Promise<void> {
  await page.evaluate(AXE)
  // Only colours differ in the dark.
  for (const [colorScheme, options] of [
    ['light', '{}'] as const,
    ['dark', "{ runOnly: ['color-contrast'] }"] as const,
  ]) {
    await page.emulateMedia({ colorScheme })
    const found: { violations: { id: string; nodes: { html: string }[] }[] } = await page.evaluate(
      `axe.run(${options})`,
    )
    const told = found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    assert.deepEqual(told, [], `${name} in ${colorScheme}`)
    await picture(page, `${name}-${colorScheme}`)
  }
  const { scripts, width, screen, small, ringless }: Seen = await page.evaluate(LOOK)
  assert.equal(scripts, 0, `${name} has scripts`)
  assert.ok(width <= screen, `${name} is ${width} wide on a screen of ${screen}`)
  assert.deepEqual({ small, ringless }, { small: [], ringless: [] }, name)
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return
  await mkdir(PICTURES, { recursive: true })
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
}
