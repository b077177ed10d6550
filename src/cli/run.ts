// Finds the command, runs it, and turns its end into an exit code.
import { nearest } from '../lib/nearest.ts'
import { VERSION } from '../lib/version.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { asSentence, describeFailure } from './failure.ts'
import { overview } from './help.ts'
import { commands, type CommandEntry } from './list.ts'
import { UsageError } from './options.ts'
import { processTerminal, type Terminal } from './terminal.ts'

/** Runs the command line of a process to its end; the exit code is set on the process. */
export async function runProcess(from: NodeJS.Process): Promise<void> {
  from.exitCode = await run(processTerminal(from), from.argv.slice(2))
}

/** Runs one command line. Never throws for a mistake of the user; a fault of ours is thrown on, with its stack. */
export async function run(terminal: Terminal, args: readonly string[]): Promise<ExitCode> {
  try {
    return await dispatch(terminal, args)
  } catch (error) {
    const failure = describeFailure(error)
    if (failure === undefined) throw error
    const { exitCode, code } = failure
    const lines = failure.lines.map(asSentence)
    if (wantsJson(args)) terminal.err(JSON.stringify({ error: { code, message: lines.join(' ') }, exitCode }))
    else for (const line of lines) terminal.err(`crow: ${line}`)
    if (error instanceof UsageError && !wantsJson(args)) terminal.err(helpPointer(args, error.topic))
    return exitCode
  }
}

async function dispatch(terminal: Terminal, args: readonly string[]): Promise<ExitCode> {
  const [first, second] = args
  if (first === '--version' || first === '-v') {
    terminal.out(VERSION)
    return exitCodes.ok
  }
  if (first === undefined || first === '--help' || first === '-h') {
    terminal.out(overview(terminal, commands))
    return first === undefined ? exitCodes.usage : exitCodes.ok
  }
  if (first === 'help') return await dispatch(terminal, args.length > 1 ? [...args.slice(1), '--help'] : ['--help'])
  const entry = find(args)
  if (entry !== undefined) {
    const command = await entry.load()
    return await command.start(terminal, args.slice(entry.name.split(' ').length))
  }
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length === 0) throw new UsageError(unknownCommand(first, commands))
  if (second === undefined || second === '--help' || second === '-h') {
    terminal.out(overview(terminal, group))
    return second === undefined ? exitCodes.usage : exitCodes.ok
  }
  throw new UsageError(unknownCommand(`${first} ${second}`, group))
}

/** The command that `args` begin with: two words before one. */
function find(args: readonly string[]): CommandEntry | undefined {
  const [first = '', second = ''] = args
  return commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first)
}

function unknownCommand(typed: string, known: readonly CommandEntry[]): string {
  const near = nearest(
    typed,
    known.flatMap(({ name }) => [name, name.split(' ')[0] ?? name]),
  )
  return `there is no command ${JSON.stringify(typed)}${near === undefined ? '' : `; did you mean crow ${near}?`}`
}

function helpPointer(args: readonly string[], topic = find(args)?.name): string {
  return `Run crow ${topic === undefined ? '' : `${topic} `}--help for how it is used.`
}

function wantsJson(args: readonly string[]): boolean {
  return args.includes('--json') || args.includes('--json=true')
}
