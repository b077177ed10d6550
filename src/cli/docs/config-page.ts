// docs/CONFIG.md, from the table of settings.
import { settings } from '../../config/read.ts'
import { exitCodeMeanings } from '../exit-codes.ts'
import { code, generatedNote, markdownTable } from './markdown.ts'

export function configPage(): string {
  return [
    generatedNote,
    '',
    '# Configuration',
    '',
    'Everything is set by environment variables; nothing has to be. A flag of `crow serve` wins over the variable it stands for.',
    'All problems are reported at once, before anything starts. `crow serve --print-config` shows what is in effect and where it comes from.',
    'An era is one of the two forms of MCP, of 2025 (with sessions) or of 2026 (without); crow.md is the text about you and your habits that every client can read.',
    '',
    ...markdownTable(
      ['variable', 'form', 'default', 'what it is for'],
      settings.map(({ name, form, fallback, description, secret }) => [
        code(name),
        form,
        code(fallback),
        secret ? `${description} Secret: never shown, never logged.` : description,
      ]),
    ),
    '',
    '## Exit codes of `crow`',
    '',
    ...markdownTable(
      ['code', 'meaning'],
      exitCodeMeanings.map(([number, meaning]) => [String(number), meaning]),
    ),
    '',
  ].join('\n')
}
