// How a command of `crow` is declared: name, options and help are data, `run` does the work.
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Grammar, type Option, type Options, type Parsed, parseOptions } from './options.ts'
import { helpOf } from './help.ts'
import type { Terminal } from './terminal.ts'

export interface CommandSpec<O extends Options> extends Grammar<O> {
  /** Words after `crow`, as typed. */
  readonly name: string
  readonly usage: string
  readonly summary: string
  /** Paragraphs below the options in the help. */
  readonly notes?: readonly string[]
  /** The help for what the positional arguments name; undefined for that of the command. Throws UsageError. */
  helpFor?(terminal: Terminal, positionals: readonly string[]): string | undefined
  run(terminal: Terminal, input: Parsed<O>): Promise<ExitCode>
}

export interface Command {
  /** Parses `args` (what follows the name) and runs, or prints the help when it is asked for. */
  start(terminal: Terminal, args: readonly string[]): Promise<ExitCode>
}

/** Binds a declaration to its parser and help. `start` throws UsageError and whatever `run` throws. */
export function defineCommand<O extends Options>(spec: CommandSpec<O>): Command {
  return {
    async start(terminal, args) {
      const input = parseOptions(spec, args)
      if (!input.help) return await spec.run(terminal, input)
      terminal.out(spec.helpFor?.(terminal, input.positionals) ?? helpOf(terminal, spec))
      return exitCodes.ok
    },
  }
}

/** Options that several commands share, under one name and one wording. */
export const sharedOptions = {
  'data-dir': { type: 'text', value: 'FOLDER', help: 'data folder (CROW_DATA_DIR)' },
  json: { type: 'flag', help: 'machine-readable output' },
} as const satisfies Record<string, Option>

/** For commands that look for a running gateway. */
export const gatewayPort = {
  port: { type: 'integer', value: 'N', min: 1, max: 65_535, help: 'port of the gateway (PORT, 3001)' },
} as const satisfies Record<string, Option>

/** For what a client is told of crow.md. */
export const projectOption = {
  project: {
    type: 'integer',
    value: 'N',
    min: 1,
    max: 999_999_999_999_999,
    help: 'project whose sections of crow.md the client is told (CROW_PROJECT_ID)',
  },
} as const satisfies Record<string, Option>
