// What `--help` prints, from the declarations alone.
import { exitCodeMeanings } from './exit-codes.ts'
import type { Option, Options } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface Described {
  readonly name: string
  readonly usage: string
  readonly summary: string
  readonly options: Options
  readonly notes?: readonly string[]
}

/** Help of one command. */
export function helpOf(terminal: Terminal, command: Described): string {
  const options = [...Object.entries(command.options), helpRow].map(([name, option]): Row => [
    optionLabel(name, option),
    option.help,
  ])
  return helpOfList(terminal, { ...command, rows: options })
}

/** Help of anything that is explained by a list. */
export function helpOfList(
  terminal: Terminal,
  { name, usage, summary, rows, notes = [] }: Omit<Described, 'options'> & { readonly rows: readonly Row[] },
): string {
  return [
    `${terminal.style('bold', `crow ${name}`)}  ${summary}`,
    '',
    `usage: crow ${[name, usage].filter(Boolean).join(' ')}`,
    '',
    ...columns(rows),
    ...notes.flatMap((note) => ['', note]),
  ].join('\n')
}

/** Help of `crow` itself: every command and every exit code. */
export function overview(terminal: Terminal, commands: readonly { name: string; summary: string }[]): string {
  return [
    `${terminal.style('bold', 'crow')}  a personal AI gateway: one memory, one set of tools, for every AI client you use`,
    '',
    'usage: crow COMMAND [options]      crow COMMAND --help      crow --version',
    '',
    ...columns(commands.map(({ name, summary }): Row => [name, summary])),
    '',
    'exit codes:',
    ...columns(exitCodeMeanings.map(([code, meaning]): Row => [String(code), meaning])),
  ].join('\n')
}

type Row = readonly [label: string, text: string]

const helpRow = ['help', { type: 'flag', short: 'h', help: 'show this help' }] as const satisfies [string, Option]

function optionLabel(name: string, option: Option): string {
  const short = option.short === undefined ? '' : `-${option.short}, `
  return `${short}--${name}${option.type === 'flag' ? '' : ` ${option.value ?? 'VALUE'}`}`
}

function columns(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(([label]) => label.length))
  return rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`)
}
