// The commands of `crow`. Each is loaded when it is called, so a rare one costs the others nothing.
import type { Command } from './command.ts'

export interface CommandEntry {
  /** Words after `crow`. */
  readonly name: string
  readonly summary: string
  load(): Promise<Command>
}

export const commands: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'run the gateway over HTTP',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  {
    name: 'stdio',
    summary: 'serve one server over stdin and stdout, for clients that start a process',
    load: async () => (await import('./commands/stdio.ts')).stdio,
  },
  {
    name: 'mcp-config',
    summary: 'print or write the configuration that connects an AI client',
    load: async () => (await import('./commands/mcp-config.ts')).mcpConfig,
  },
  {
    name: 'token create',
    summary: 'make a local token and show its secret once',
    load: async () => (await import('./commands/token.ts')).tokenCreate,
  },
  {
    name: 'token list',
    summary: 'list the local tokens',
    load: async () => (await import('./commands/token.ts')).tokenList,
  },
  {
    name: 'token rotate',
    summary: 'give a token a new secret and show it once; the old one stops working',
    load: async () => (await import('./commands/token.ts')).tokenRotate,
  },
  {
    name: 'token revoke',
    summary: 'end a token at once',
    load: async () => (await import('./commands/token.ts')).tokenRevoke,
  },
  {
    name: 'clients list',
    summary: 'list the AI clients that are let in',
    load: async () => (await import('./commands/clients.ts')).clientsList,
  },
  {
    name: 'clients add',
    summary: 'make an AI client by hand, where it cannot register itself',
    load: async () => (await import('./commands/clients.ts')).clientsAdd,
  },
  {
    name: 'clients revoke',
    summary: 'disconnect one AI client, or all of them',
    load: async () => (await import('./commands/clients.ts')).clientsRevoke,
  },
  {
    name: 'servers add',
    summary: 'add an external server; its tools appear as ID_TOOL',
    load: async () => (await import('./commands/servers-change.ts')).serversAdd,
  },
  {
    name: 'servers import',
    summary: 'add the servers that an AI client has, each after a question',
    load: async () => (await import('./commands/servers-import.ts')).serversImport,
  },
  {
    name: 'servers list',
    summary: 'list the external servers, and what is wrong with any of them',
    load: async () => (await import('./commands/servers.ts')).serversList,
  },
  {
    name: 'servers show',
    summary: 'show how one external server is configured; never a secret',
    load: async () => (await import('./commands/servers.ts')).serversShow,
  },
  {
    name: 'servers test',
    summary: 'connect to one external server and count what it has',
    load: async () => (await import('./commands/servers.ts')).serversTest,
  },
  {
    name: 'servers logs',
    summary: 'show the last lines that a running external server wrote',
    load: async () => (await import('./commands/servers.ts')).serversLogs,
  },
  {
    name: 'servers enable',
    summary: 'switch an external server on',
    load: async () => (await import('./commands/servers-change.ts')).serversEnable,
  },
  {
    name: 'servers disable',
    summary: 'switch an external server off, and keep how it is configured',
    load: async () => (await import('./commands/servers-change.ts')).serversDisable,
  },
  {
    name: 'servers remove',
    summary: 'take an external server out of servers.json, with its secrets',
    load: async () => (await import('./commands/servers-change.ts')).serversRemove,
  },
  {
    name: 'profiles list',
    summary: 'list the profiles, and the clients that were given one',
    load: async () => (await import('./commands/profiles.ts')).profilesList,
  },
  {
    name: 'profiles show',
    summary: 'show what a client, or a profile, lists and about how many tokens that is',
    load: async () => (await import('./commands/profiles.ts')).profilesShow,
  },
  {
    name: 'profiles set',
    summary: 'give a client a profile: router, direct, auto, or one that was defined',
    load: async () => (await import('./commands/profiles.ts')).profilesSet,
  },
  {
    name: 'profiles define',
    summary: 'make a profile that clients can be given, or name in their address',
    load: async () => (await import('./commands/profiles.ts')).profilesDefine,
  },
  {
    name: 'profiles remove',
    summary: 'take its profile from a client, or remove a profile that nobody has',
    load: async () => (await import('./commands/profiles.ts')).profilesRemove,
  },
  {
    name: 'operator setup-code',
    summary: 'show a one-time code for the first password at /setup',
    load: async () => (await import('./commands/operator.ts')).operatorSetupCode,
  },
  {
    name: 'operator password',
    summary: 'set the password of the owner and sign out everywhere',
    load: async () => (await import('./commands/operator.ts')).operatorPassword,
  },
  {
    name: 'operator sessions',
    summary: 'list where the owner is signed in',
    load: async () => (await import('./commands/operator.ts')).operatorSessions,
  },
  {
    name: 'operator revoke',
    summary: 'end one session of the owner, or all of them',
    load: async () => (await import('./commands/operator.ts')).operatorRevoke,
  },
  {
    name: 'operator disable-2fa',
    summary: 'turn the second factor off, for when the phone and the recovery codes are lost',
    load: async () => (await import('./commands/operator.ts')).operatorDisable2fa,
  },
  {
    name: 'operator unlock',
    summary: 'forget failed logins, so that nobody has to wait',
    load: async () => (await import('./commands/operator.ts')).operatorUnlock,
  },
  {
    name: 'context pending',
    summary: 'list the changes of crow.md that wait for you',
    load: async () => (await import('./commands/context.ts')).contextPending,
  },
  {
    name: 'context diff',
    summary: 'show what one change would do to crow.md',
    load: async () => (await import('./commands/context.ts')).contextDiff,
  },
  {
    name: 'context approve',
    summary: 'put one change into crow.md',
    load: async () => (await import('./commands/context.ts')).contextApprove,
  },
  {
    name: 'context reject',
    summary: 'drop one change of crow.md',
    load: async () => (await import('./commands/context.ts')).contextReject,
  },
  {
    name: 'key rotate',
    summary: 'make a new key and seal every secret anew under it',
    load: async () => (await import('./commands/key.ts')).keyRotate,
  },
  {
    name: 'key status',
    summary: 'show which key is in use and whether it opens every secret',
    load: async () => (await import('./commands/key.ts')).keyStatus,
  },
  {
    name: 'audit',
    summary: 'show who did what, newest first; never what was said',
    load: async () => (await import('./commands/audit.ts')).audit,
  },
  {
    name: 'ledger',
    summary: 'show what lists of tools cost each client, and what the router saved',
    load: async () => (await import('./commands/ledger.ts')).ledger,
  },
  {
    name: 'tools',
    summary: 'list every tool, or write and check the capability lock',
    load: async () => (await import('./commands/tools.ts')).tools,
  },
  {
    name: 'call',
    summary: 'run one tool on the data folder',
    load: async () => (await import('./commands/call.ts')).call,
  },
  {
    name: 'inspect',
    summary: 'watch the calls of running gateways as they happen',
    load: async () => (await import('./commands/inspect.ts')).inspect,
  },
  {
    name: 'doctor',
    summary: 'check this installation and say how to mend what is wrong',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    name: 'docs',
    summary: 'write or check the generated pages of docs/',
    load: async () => (await import('./commands/docs.ts')).docs,
  },
]
