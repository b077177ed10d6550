// docs/TOOLS.md, from the compiled declarations.
import { objectOf } from '../../lib/json.ts'
import type { Catalog } from '../../runtime/catalog.ts'
import type { CompiledServer, CompiledTool } from '../../runtime/compiled.ts'
import { mountPaths } from '../connection.ts'
import { code, generatedNote, markdownTable } from './markdown.ts'

export function toolsPage(catalog: Catalog): string {
  return [
    generatedNote,
    '',
    '# Tools',
    '',
    'One section per server. A tool is called by its public name or without the prefix; from a shell with `crow call SERVER TOOL --help`.',
    '`read` changes nothing, `write` can be repeated or undone, `destroy` asks for a confirmation first.',
    'crow.md is the text about you and your habits that every client can read; to dream is to look for what is stale or stored twice.',
    '',
    ...catalog.servers.flatMap(serverSection),
  ].join('\n')
}

function serverSection(server: CompiledServer): string[] {
  const { id, summary, tools, resources, prompts } = server
  return [
    `## ${id}`,
    '',
    `${summary} Endpoints: ${mountPaths(server).map(code).join(', ')}.`,
    '',
    ...markdownTable(
      ['tool', 'effect', 'what it does'],
      tools.map(({ name, effect, declaration }) => [`[${name}](#${anchorOf(name)})`, effect, declaration.summary]),
    ),
    '',
    ...tools.flatMap(toolSection),
    ...(resources.length === 0
      ? []
      : [
          `### Resources of ${id}`,
          '',
          ...markdownTable(
            ['URI', 'type', 'what it is', 'can be subscribed to'],
            resources.map(({ uri, mimeType, description, subscribable }) => [
              code(uri),
              mimeType,
              description,
              subscribable === true ? 'yes' : 'no',
            ]),
          ),
          '',
        ]),
    ...(prompts.length === 0
      ? []
      : [
          `### Prompts of ${id}`,
          '',
          ...markdownTable(
            ['prompt', 'arguments', 'what it is'],
            prompts.map(({ name, description, arguments: given = [] }) => [
              code(name),
              given.map((argument) => code(argument.name)).join(', '),
              description,
            ]),
          ),
          '',
        ]),
  ]
}

function toolSection({
  name,
  publicName,
  effect,
  definition,
  inputSchema,
  signature,
  declaration,
}: CompiledTool): string[] {
  const parameters = parametersOf(inputSchema)
  return [
    `### ${name}`,
    '',
    `${code(publicName)} · ${effect}`,
    '',
    definition.description,
    '',
    '```',
    signature,
    '```',
    '',
    ...(parameters.length === 0
      ? []
      : [...markdownTable(['parameter', 'form', 'needed', 'what it is'], parameters), '']),
    ...(declaration.examples ?? []).flatMap((example) => ['```json', JSON.stringify(example), '```', '']),
  ]
}

function parametersOf(schema: Readonly<Record<string, unknown>>): string[][] {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(objectOf(schema['properties'])).map(([name, property]) => {
    const description = objectOf(property)['description']
    return [
      code(name),
      formOf(objectOf(property)),
      required.includes(name) ? 'yes' : 'no',
      typeof description === 'string' ? description : '',
    ]
  })
}

/** The form of a value in words: type, literals, bounds, default. */
function formOf(schema: Readonly<Record<string, unknown>>): string {
  const union = schema['anyOf']
  const base = Array.isArray(union) ? union.map((branch) => formOf(objectOf(branch))).join(' or ') : baseOf(schema)
  const fallback = 'default' in schema ? `default ${code(JSON.stringify(schema['default']))}` : ''
  return [base, boundsOf(schema), fallback].filter(Boolean).join(', ')
}

function baseOf(schema: Readonly<Record<string, unknown>>): string {
  if ('const' in schema) return code(JSON.stringify(schema['const']))
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => code(JSON.stringify(value))).join(' or ')
  if (schema['type'] === 'array') return `list of ${formOf(objectOf(schema['items']))}`
  return typeof schema['type'] === 'string' ? schema['type'] : 'any JSON'
}

function boundsOf(schema: Readonly<Record<string, unknown>>): string {
  const [least, most] = [schema['minimum'], schema['maximum']]
  if (typeof least === 'number' && typeof most === 'number') return `${least} to ${most}`
  if (typeof least === 'number') return `at least ${least}`
  if (typeof most === 'number') return `at most ${most}`
  const length = schema['maxLength']
  return typeof length === 'number' ? `at most ${length} characters` : ''
}

function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^\w-]/g, '')
}
