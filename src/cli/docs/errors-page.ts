// docs/ERRORS.md, from the two closed lists of codes.
import { errorCodes } from '../../lib/error-codes.ts'
import { codeFacts, toolCodes } from '../../runtime/codes.ts'
import { code, generatedNote, markdownTable } from './markdown.ts'

export function errorsPage(): string {
  return [
    generatedNote,
    '',
    '# Errors',
    '',
    'Codes never change meaning. The kind decides the form of the answer: HTTP status, JSON-RPC error, or exit code.',
    '',
    '## Codes of tools',
    '',
    'A tool that fails answers with `isError` and one `<tool_error>` text: the code, what was wrong, what to do next, and the right signature.',
    '',
    ...markdownTable(
      ['code', 'kind', 'advice when the tool gives none'],
      toolCodes.map((name) => [code(name), codeFacts(name).kind, codeFacts(name).recovery]),
    ),
    '',
    '## Codes of the gateway',
    '',
    'Over HTTP as problem JSON (RFC 9457) with `code`, or as a JSON-RPC error on the MCP endpoints; from `crow` as one sentence and an exit code.',
    '',
    ...markdownTable(
      ['code', 'meaning'],
      Object.entries(errorCodes).map(([name, meaning]) => [code(name), meaning]),
    ),
    '',
  ].join('\n')
}
