// What no migration may do: lose a table, or manage transactions and enforcement that belong to the migrator.

const rules: readonly [pattern: RegExp, problem: string][] = [
  [
    /\b(?:BEGIN|COMMIT|ROLLBACK|END)\s+(?:TRANSACTION|IMMEDIATE|EXCLUSIVE|;)|^\s*(?:BEGIN|COMMIT|ROLLBACK)\s*;/im,
    'manages a transaction, which the migrator does',
  ],
  [/\bVACUUM\b/i, 'vacuums, which is impossible inside the transaction of the migrator'],
  [/\bPRAGMA\s+(?!foreign_keys\b)/i, 'sets a pragma, which the opening of a connection does'],
  [
    /\bCREATE\s+(?:VIRTUAL\s+TABLE|TRIGGER)\b/i,
    'makes a virtual table or trigger, which belong to the repeatable scripts',
  ],
  [/\bwritable_schema\b/i, 'writes the schema table'],
]

function named(sql: string, pattern: RegExp): string[] {
  return [...sql.matchAll(pattern)].map((match) => match[1] ?? '')
}

/**
 * @param sql a whole migration
 * @returns its problems. Dropping a table is one unless the same migration copies it into a table that takes its name.
 */
export function lintMigration(sql: string): string[] {
  const bare = sql.replaceAll(/--[^\n]*/g, '')
  const problems = rules.filter(([pattern]) => pattern.test(bare)).map(([, problem]) => problem)
  const renamed = new Set(named(bare, /RENAME\s+TO\s+[`"]?(\w+)/gi))
  const copied = new Set(named(bare, /INSERT\s+INTO[^;]*?\bSELECT\b[^;]*?\bFROM\s+[`"]?(\w+)/gi))
  for (const table of named(bare, /DROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?[`"]?(\w+)/gi)) {
    if (!renamed.has(table) || !copied.has(table)) problems.push(`drops ${table} without a copy that takes its name`)
  }
  for (const table of named(bare, /DELETE\s+FROM\s+[`"]?(\w+)[`"]?\s*(?:;|$)/gi)) problems.push(`empties ${table}`)
  return problems
}
