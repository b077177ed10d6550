// What kind of answer is wanted, and what kind a tool gives: one thing, a list of them, those that match, or a number.

export type Answer = 'one' | 'list' | 'matches' | 'number'

const WANTED: readonly (readonly [Answer, RegExp])[] = [
  [
    'number',
    /\bhow (?:many|much|often|full|big|large)\b|\b(?:totals?|tally|count|statistics|stats|breakdown)\b|^\W*(?:the )?numbers? (?:of|for)\b/i,
  ],
  [
    'list',
    /\b(?:all|every|list|enumerate|overview|browse|names of)\b|\b(?:which|what|show|any|whose|display|see|are there)\b.*\b\w{2,}[^s\s]s\b/i,
  ],
  [
    'matches',
    /\b(?:find|search|look(?:ing)? (?:for|through|up)|hunt|mention(?:s|ing|ed)?|about|regarding|concerning|contain(?:s|ing)?|where|anything|something|is there|are there)\b/i,
  ],
  ['one', /\b(?:open|read|view|full|complete|whole|entire|details?|one|single|this|that|particular)\b/i],
]

export function answersWanted(question: string): ReadonlySet<Answer> {
  const wanted = WANTED.filter(([, pattern]) => pattern.test(question)).map(([answer]) => answer)
  // "How many are there" names a list too, and wants none.
  return new Set(wanted[0] === 'number' ? wanted.slice(0, 1) : wanted)
}

const GIVEN: readonly (readonly [Answer, RegExp])[] = [
  ['number', /(?:^|_)(?:stats|statistics|count|usage|status)(?:_|$)/],
  ['list', /(?:^|_)(?:list|browse)(?:_|$)/],
  ['matches', /(?:^|_)(?:search|find|query|lookup)(?:_|$)/],
  ['one', /(?:^|_)(?:get|read|show|describe|open)(?:_|$)/],
]

export function answerOfTool(name: string): Answer | undefined {
  const plain = name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .replaceAll(/[-. ]/g, '_')
    .toLowerCase()
  return GIVEN.find(([, pattern]) => pattern.test(plain))?.[0]
}
