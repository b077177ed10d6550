// The AI clients this gateway knows how to connect: where each keeps its MCP servers, and in which words. Data only.

export type Transport = 'http' | 'stdio'

/** Where the secret of an HTTP entry goes: into the file, into a prompt of the client, or into an environment variable. */
export type SecretPlace = 'file' | 'prompt' | 'environment'

/**
 * A file per platform. `~` is the home folder, `$CONFIG` the platform's folder for settings of applications, and a
 * relative path belongs to the project that the client is opened in.
 */
export interface ClientFile {
  readonly everywhere?: string
  readonly linux?: string
  readonly darwin?: string
  readonly win32?: string
}

export interface AiClient {
  readonly id: string
  readonly title: string
  readonly file: ClientFile
  /** Where the client itself keeps what `command` adds, in the same form; it is read, never written. */
  readonly ownFile?: ClientFile
  /** Key of the object that holds the servers. */
  readonly key: 'mcpServers' | 'servers'
  /** The transport a person on this machine is best served with. */
  readonly prefers: Transport
  /** How an HTTP entry is written; absent when the client only starts processes. */
  readonly http?: {
    readonly urlKey: 'url' | 'serverUrl' | 'httpUrl'
    readonly type?: string
    readonly secret: SecretPlace
  }
  /** How an entry that starts a process is written. */
  readonly stdio: { readonly type?: string }
  /** One shell command instead of the file, with `{name}`, `{url}` and `{token}` filled in. */
  readonly command?: string
  /** What the person does after the file is written. */
  readonly afterwards: string
}

export const aiClients: readonly AiClient[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    file: { everywhere: '.mcp.json' },
    ownFile: { everywhere: '~/.claude.json' },
    key: 'mcpServers',
    prefers: 'http',
    http: { urlKey: 'url', type: 'http', secret: 'environment' },
    stdio: { type: 'stdio' },
    command: 'claude mcp add --scope user --transport http {name} {url} --header "Authorization: Bearer {token}"',
    afterwards: 'Start Claude Code anew; /mcp lists the server.',
  },
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    file: {
      linux: '$CONFIG/Claude/claude_desktop_config.json',
      darwin: '$CONFIG/Claude/claude_desktop_config.json',
      win32: '$CONFIG/Claude/claude_desktop_config.json',
    },
    key: 'mcpServers',
    prefers: 'stdio',
    stdio: {},
    afterwards: 'Quit Claude Desktop completely and start it again.',
  },
  {
    id: 'cursor',
    title: 'Cursor',
    file: { everywhere: '~/.cursor/mcp.json' },
    key: 'mcpServers',
    prefers: 'http',
    http: { urlKey: 'url', secret: 'file' },
    stdio: {},
    afterwards: 'Cursor reads the file again by itself; see Settings, MCP.',
  },
  {
    id: 'vscode',
    title: 'VS Code',
    file: {
      linux: '$CONFIG/Code/User/mcp.json',
      darwin: '$CONFIG/Code/User/mcp.json',
      win32: '$CONFIG/Code/User/mcp.json',
    },
    key: 'servers',
    prefers: 'http',
    http: { urlKey: 'url', type: 'http', secret: 'prompt' },
    stdio: { type: 'stdio' },
    afterwards: 'Run "MCP: List Servers" and start it; VS Code asks once for the token and keeps it encrypted.',
  },
  {
    id: 'gemini-cli',
    title: 'Gemini CLI',
    file: { everywhere: '~/.gemini/settings.json' },
    key: 'mcpServers',
    prefers: 'http',
    http: { urlKey: 'httpUrl', secret: 'file' },
    stdio: {},
    afterwards: 'Start Gemini CLI anew; /mcp lists the server.',
  },
  {
    id: 'qwen-code',
    title: 'Qwen Code',
    file: { everywhere: '~/.qwen/settings.json' },
    key: 'mcpServers',
    prefers: 'http',
    http: { urlKey: 'httpUrl', secret: 'file' },
    stdio: {},
    afterwards: 'Start Qwen Code anew; /mcp lists the server.',
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    file: { everywhere: '~/.codeium/windsurf/mcp_config.json' },
    key: 'mcpServers',
    prefers: 'http',
    http: { urlKey: 'serverUrl', secret: 'file' },
    stdio: {},
    afterwards: 'Press Refresh in the MCP panel of Cascade.',
  },
  {
    id: 'cline',
    title: 'Cline',
    file: {
      linux: '$CONFIG/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
      darwin: '$CONFIG/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
      win32: '$CONFIG/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    },
    key: 'mcpServers',
    prefers: 'http',
    http: { urlKey: 'url', type: 'streamableHttp', secret: 'file' },
    stdio: {},
    afterwards: 'Cline reads the file again by itself; see its MCP Servers panel.',
  },
]
