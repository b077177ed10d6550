// `crow stdio`: one server over stdin and stdout, for clients that start a process. Works beside a running gateway.
import { defineCommand, projectOption, sharedOptions } from '../command.ts'
import { serveStdioProcess } from '../stdio-process.ts'

export const stdio = defineCommand({
  name: 'stdio',
  usage: 'SERVER [--profile NAME] [--project N] [--data-dir FOLDER]',
  summary: 'serve one server over stdin and stdout, for clients that start a process',
  positionals: [1, 1],
  options: {
    profile: {
      type: 'text',
      value: 'NAME',
      help: 'what `router` lists: router, direct, auto, or one of `crow profiles`',
    },
    ...projectOption,
    'data-dir': sharedOptions['data-dir'],
  },
  notes: [
    'SERVER is a server, `router` for all of them through one tool each, or `core`: the tools of CROW_DEFAULT_SERVER, and those of others when the client activates them.',
    'stdout carries the protocol only, logs go to stderr. Ends when stdin is closed or on SIGTERM.',
  ],
  async run(terminal, { options, positionals: [serverId = ''] }) {
    const { profile, project, 'data-dir': dataDir } = options
    return await serveStdioProcess(terminal, { serverId, profile, project, dataDir })
  },
})
