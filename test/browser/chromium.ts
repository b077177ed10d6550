// A real Chromium for the pages of the gateway: it reaches nothing but this machine, and everything it asks for is noted.
import { mkdir } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'

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
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

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

/**
 * Looks at a page in light and dark: no violation of axe's rules, no script, nothing wider than the screen. Takes its picture.
 * @param name of the picture
 */
export async function inspect(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(AXE)
    const found: { violations: { id: string; nodes: { html: string }[] }[] } = await page.evaluate('axe.run()')
    const told = found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    assert.deepEqual(told, [], `${name} in ${colorScheme}`)
    await picture(page, `${name}-${colorScheme}`)
  }
  const { scripts, width, screen }: { scripts: number; width: number; screen: number } = await page.evaluate(
    '({ scripts: document.scripts.length, width: document.documentElement.scrollWidth, screen: innerWidth })',
  )
  assert.equal(scripts, 0, `${name} has scripts`)
  assert.ok(width <= screen, `${name} is ${width} wide on a screen of ${screen}`)
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return
  await mkdir(PICTURES, { recursive: true })
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
}
