// Takes the rows of a bench that is a script of its own and prints a table of three columns: what, figure, bar.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import type { Row } from './table.ts'

/** Runs the script and reads its table. */
export async function scriptSection(script: string): Promise<Row[]> {
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = (await text(child.stdout)).split('\n').filter((line) => /^\| (?!case|-)/.test(line))
  if (lines.length === 0) throw new Error(`${script} printed no table`)
  return lines.map((line): Row => {
    const [what = '', value = '', verdict = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim())
    const bar = /^(ok|OVER) +(.*)$/.exec(verdict)
    return bar === null ? { what, value } : { what, value, bar: bar[2] ?? '', ok: bar[1] === 'ok' }
  })
}
