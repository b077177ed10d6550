// External servers that are known by name: what starts them, and which variables they need. Data only. A variable is looked up
// in the environment of the gateway, or in `servers.json`; an integration is there as soon as none of them is empty.

export interface Integration {
  /** `[a-z][a-z0-9-]{0,30}`: the first part of the names of its tools. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly category: 'productivity' | 'development' | 'communication'
  /** All of them have to be set. */
  readonly variables: readonly string[]
  /** How it is started; `${VARIABLE}` is filled in. Only what is no secret may stand here: everybody sees it in the list of processes. */
  readonly command?: string
  readonly args?: readonly string[]
  /** What the child gets, where that is not the variables as they are. */
  readonly env?: (values: Readonly<Record<string, string>>) => Readonly<Record<string, string>>
  /** Instead of a command: where it is served. */
  readonly url?: string
  readonly headers?: (values: Readonly<Record<string, string>>) => Readonly<Record<string, string>>
  /** Programs that must be installed. */
  readonly requires: readonly string[]
  /**
   * Whether it comes from whoever runs the service, or from the MCP project. Any other package is somebody's who can put into the
   * next version what they like, or a name that anybody could still take: it runs only after the owner said so.
   */
  readonly verified: boolean
  readonly keyUrl?: string
  readonly keyInstructions: string
  readonly docsUrl: string
}

const npx = (name: string, ...more: readonly string[]) =>
  ({ command: 'npx', args: ['-y', name, ...more], requires: ['npx'] }) as const
const uvx = (name: string) => ({ command: 'uvx', args: [name], requires: ['uvx'] }) as const

export const integrations: readonly Integration[] = [
  {
    id: 'trello',
    name: 'Trello',
    description: 'Boards, lists and cards of Trello.',
    category: 'productivity',
    variables: ['TRELLO_API_KEY', 'TRELLO_TOKEN'],
    ...npx('mcp-server-trello'),
    verified: false,
    keyUrl: 'https://trello.com/power-ups/admin',
    keyInstructions: 'Make a Power-Up, copy its API key, and follow the Token link beside it.',
    docsUrl: 'https://developer.atlassian.com/cloud/trello/guides/rest-api/api-introduction/',
  },
  {
    id: 'canvas-lms',
    name: 'Canvas LMS',
    description: 'Courses, assignments and grades of Canvas.',
    category: 'productivity',
    variables: ['CANVAS_API_TOKEN', 'CANVAS_BASE_URL'],
    ...npx('mcp-canvas-lms'),
    verified: false,
    keyInstructions:
      'In Canvas: Account, Settings, New access token. The base URL is the address of your school’s Canvas.',
    docsUrl: 'https://canvas.instructure.com/doc/api/file.oauth.html',
  },
  {
    id: 'github',
    name: 'GitHub',
    description: 'Repositories, issues and pull requests of GitHub.',
    category: 'development',
    variables: ['GITHUB_PERSONAL_ACCESS_TOKEN'],
    ...npx('@modelcontextprotocol/server-github'),
    verified: true,
    keyUrl: 'https://github.com/settings/personal-access-tokens',
    keyInstructions: 'Make a fine-grained token for the repositories it may see, with as few permissions as you need.',
    docsUrl: 'https://github.com/modelcontextprotocol/servers-archived/tree/main/src/github',
  },
  {
    id: 'brave-search',
    name: 'Brave Search',
    description: 'Web search by Brave.',
    category: 'development',
    variables: ['BRAVE_API_KEY'],
    ...npx('@modelcontextprotocol/server-brave-search'),
    verified: true,
    keyUrl: 'https://api-dashboard.search.brave.com/app/keys',
    keyInstructions: 'Subscribe to a plan of the Search API, then make a key.',
    docsUrl: 'https://github.com/modelcontextprotocol/servers-archived/tree/main/src/brave-search',
  },
  {
    id: 'slack',
    name: 'Slack',
    description: 'Channels, messages and people of a Slack workspace.',
    category: 'communication',
    variables: ['SLACK_BOT_TOKEN', 'SLACK_TEAM_ID'],
    ...npx('@modelcontextprotocol/server-slack'),
    verified: true,
    keyUrl: 'https://api.slack.com/apps',
    keyInstructions:
      'Make an app, give its bot the scopes it needs, install it, and copy the bot token (xoxb-…). The team id begins with T.',
    docsUrl: 'https://github.com/modelcontextprotocol/servers-archived/tree/main/src/slack',
  },
  {
    id: 'notion',
    name: 'Notion',
    description: 'Pages and databases of Notion.',
    category: 'productivity',
    variables: ['NOTION_TOKEN'],
    ...npx('@notionhq/notion-mcp-server'),
    env: ({ NOTION_TOKEN }) => ({
      OPENAPI_MCP_HEADERS: JSON.stringify({
        Authorization: `Bearer ${NOTION_TOKEN}`,
        'Notion-Version': '2022-06-28',
      }),
    }),
    verified: true,
    keyUrl: 'https://www.notion.so/profile/integrations',
    keyInstructions: 'Make an internal integration, copy its secret, and add it under Access to the pages it may see.',
    docsUrl: 'https://github.com/makenotion/notion-mcp-server',
  },
  {
    id: 'discord',
    name: 'Discord',
    description: 'Servers, channels and messages of Discord.',
    category: 'communication',
    variables: ['DISCORD_BOT_TOKEN'],
    ...npx('mcp-discord'),
    env: ({ DISCORD_BOT_TOKEN = '' }) => ({ DISCORD_BOT_TOKEN, DISCORD_TOKEN: DISCORD_BOT_TOKEN }),
    verified: false,
    keyUrl: 'https://discord.com/developers/applications',
    keyInstructions: 'Make an application with a bot, copy the token of the bot, and invite it to your server.',
    docsUrl: 'https://www.npmjs.com/package/mcp-discord',
  },
  {
    id: 'microsoft-teams',
    name: 'Microsoft Teams',
    description: 'Teams, channels and messages of Microsoft Teams.',
    category: 'communication',
    variables: ['TEAMS_CLIENT_ID', 'TEAMS_CLIENT_SECRET', 'TEAMS_TENANT_ID'],
    ...npx('mcp-server-microsoft-teams'),
    verified: false,
    keyUrl: 'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade',
    keyInstructions: 'Register an application, make a client secret, and copy the ids of application and directory.',
    docsUrl: 'https://learn.microsoft.com/graph/auth-register-app-v2',
  },
  {
    id: 'google-workspace',
    name: 'Google Workspace',
    description: 'Mail, calendar, files and documents of Google.',
    category: 'productivity',
    variables: ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
    ...uvx('workspace-mcp'),
    env: ({ GOOGLE_CLIENT_ID = '', GOOGLE_CLIENT_SECRET = '' }) => ({
      GOOGLE_CLIENT_ID,
      GOOGLE_CLIENT_SECRET,
      GOOGLE_OAUTH_CLIENT_ID: GOOGLE_CLIENT_ID,
      GOOGLE_OAUTH_CLIENT_SECRET: GOOGLE_CLIENT_SECRET,
    }),
    verified: false,
    keyUrl: 'https://console.cloud.google.com/apis/credentials',
    keyInstructions: 'Make an OAuth client of the type Desktop app, and switch on the APIs it shall reach.',
    docsUrl: 'https://pypi.org/project/workspace-mcp/',
  },
  {
    id: 'zotero',
    name: 'Zotero',
    description: 'A Zotero library: items, collections and notes.',
    category: 'productivity',
    variables: ['ZOTERO_API_KEY', 'ZOTERO_USER_ID'],
    ...uvx('zotero-mcp'),
    env: ({ ZOTERO_API_KEY = '', ZOTERO_USER_ID = '' }) => ({
      ZOTERO_API_KEY,
      ZOTERO_USER_ID,
      ZOTERO_LIBRARY_ID: ZOTERO_USER_ID,
    }),
    verified: false,
    keyUrl: 'https://www.zotero.org/settings/keys',
    keyInstructions: 'Make a private key; the same page says your user id.',
    docsUrl: 'https://pypi.org/project/zotero-mcp/',
  },
  {
    id: 'arxiv',
    name: 'arXiv',
    description: 'Search for papers on arXiv, and read them.',
    category: 'productivity',
    variables: [],
    ...uvx('arxiv-mcp-server'),
    verified: false,
    keyInstructions: 'No key is needed.',
    docsUrl: 'https://pypi.org/project/arxiv-mcp-server/',
  },
  {
    id: 'render',
    name: 'Render',
    description: 'Services, deploys and logs on Render.',
    category: 'development',
    variables: ['RENDER_API_KEY'],
    // Where Render serves it. A relay that took the key as an argument would show it to every user of the machine.
    url: 'https://mcp.render.com/mcp',
    headers: ({ RENDER_API_KEY }) => ({ Authorization: `Bearer ${RENDER_API_KEY}` }),
    requires: [],
    verified: true,
    keyUrl: 'https://dashboard.render.com/u/settings#api-keys',
    keyInstructions: 'Account settings, API keys, Create API key. It reaches every workspace that you do.',
    docsUrl: 'https://render.com/docs/mcp-server',
  },
  {
    id: 'mcp-research',
    name: 'Web research',
    description: 'Search the web and fetch pages for research.',
    category: 'productivity',
    variables: [],
    ...uvx('mcp-research'),
    verified: false,
    keyInstructions: 'No key is needed.',
    docsUrl: 'https://pypi.org/project/mcp-research/',
  },
  {
    id: 'home-assistant',
    name: 'Home Assistant',
    description: 'Devices and automations of Home Assistant.',
    category: 'productivity',
    variables: ['HA_URL', 'HA_TOKEN'],
    ...uvx('hass-mcp'),
    verified: false,
    keyInstructions:
      'In Home Assistant: your profile, Security, Long-lived access tokens. The URL is that of its pages.',
    docsUrl: 'https://pypi.org/project/hass-mcp/',
  },
  {
    id: 'obsidian',
    name: 'Obsidian',
    description: 'Notes of an Obsidian vault.',
    category: 'productivity',
    variables: ['OBSIDIAN_VAULT_PATH'],
    ...npx('mcp-obsidian', '${OBSIDIAN_VAULT_PATH}'),
    verified: false,
    keyInstructions: 'The folder of the vault, as an absolute path.',
    docsUrl: 'https://www.npmjs.com/package/mcp-obsidian',
  },
]

/** The integration of this id. */
export function integrationOf(id: string): Integration | undefined {
  return integrations.find((one) => one.id === id)
}
