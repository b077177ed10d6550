// What the shape of a question says, whatever its words are.

/** What the shape of something typed says it is. */
export const SHAPES: readonly (readonly [shape: RegExp, meant: readonly string[]])[] = [
  [
    /[\w-]\.(?:md|txt|pdf|docx?|xlsx?|pptx?|csv|json|ya?ml|toml|[jt]sx?|py|go|rs|css|png|jpe?g|gif|svg|mp[34]|zip|log|ini|sh)\b/i,
    ['file'],
  ],
  [/(?:^|\s)[~.]?\/[\w.-]+\//, ['file', 'path', 'directory']],
  [/\bhttps?:\/\/|\bwww\.|\w\.(?:com|org|net|io|dev|eu)\b/i, ['url', 'page']],
  [/[\w.]@[\w-]+\.\w/, ['email']],
  [/(?:^|\s)#\p{L}/u, ['channel']],
  [/(?:^|\s)#\d/, ['issue', 'number']],
  [/\b\d{1,2}(?::\d\d| ?(?:am|pm|uhr|o'clock)\b)/i, ['time', 'event', 'schedule']],
  [
    /\b(?:every|each|cada|jede[nsrm]?) (?:other |second )?(?:\d+ |minute|hour|day|night|morning|noon|afternoon|evening|week|month|quarter|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)/i,
    ['schedule', 'recurring', 'cron'],
  ],
  [/^\W*(?:may|can) (?!you\b|i\b|we\b)/i, ['permission', 'capability', 'allowed']],
  // What somebody says of themselves is meant to be remembered, and what they ask of themselves was.
  [
    /^\W*(?:by the way|btw|fyi|note that)\b|(?:^|, )\W*(?:i|we)(?:['’](?:m|ve|re)| am| was| have| had| use| like| love| hate| prefer| always| never| usually| live| work| own| drive| speak| drink| eat| moved| no longer| do not| don['’]t) |^\W*(?:my|our) (?:[\w'’]+ ){1,3}(?:is|are|was|were) /i,
    ['memory', 'store'],
  ],
  [
    /^\W*(?:what|when|where|who|which)(?:['’]s| is| are| was| were) (?:(?!in|on|at|from)\w+ )?(?:my|our) |^\W*what (?:did|have) (?:i|we) |^\W*(?:what|when|where|who|which)\b.*\bagain\W*$/i,
    ['memory', 'search', 'recall'],
  ],
  [/\bwho (?:has |had |have )?(?:\w+ed|did|made|wrote|took|put|broke)\b/i, ['audit', 'log', 'history']],
  [/\bwho (?:can|may|could|is allowed|has access)\b/i, ['member', 'permission', 'capability']],
  // Somebody, named behind what is done to or with them.
  [
    /\b(?:to|with|let|give|send|call|tell|ask|invite|show|message|text|write) \p{Lu}\p{Ll}+|\p{Lu}\p{Ll}+['’]s access\b/u,
    ['contact'],
  ],
  [/\bdo you (?:still |even )?(?:have|know|recall|remember)\b.*\bmy\b/i, ['memory', 'search', 'recall']],
  [/[$€£] ?\d|\d ?(?:€|euros?\b|dollars?\b)/i, ['payment', 'amount']],
]

/** How a request is put, whatever it is for: its words say nothing of the tool. */
export const FRAMES =
  /\b(?:i|we)(?:['’]d| would)? (?:really |just |also )?(?:like|love|want|need|wish|have) (?:you )?to\b|\bi want\b|\bi need\b|\b(?:can|could|would|will) you\b|\bhelp me(?: to)?\b|\bi(?:['’]m| am) (?:looking|trying|going) to\b|\bhow (?:do|can|could) (?:i|we)\b|\bis there (?:a|any) (?:way|tool|function) (?:to|for)\b/gi

/** Where a question goes over to what is to be said, stored or looked for: "tell her that …", "a note: …", "articles about …". */
const MATTER =
  /[:"“„]\s*\w|\b(?:[Tt]hat|whether|because)\s+(?:I|we|you|he|she|it|they|there|my|our|your|his|her|their|the|a|an|[A-Z]\w+)\b|\b(?:[Aa]bout|[Rr]egarding|[Cc]oncerning)\s|\b[Rr]emind (?:me|us) (?:to|of)\b|(?<=\b[Tt]ell (?:\p{Lu}\w+|him|her|them) )(?:I|we|he|she|they|to)\b/u

/** Characters before the matter; all of them where there is none. */
export function charsBeforeMatter(text: string): number {
  const found = MATTER.exec(text)
  return found === null ? text.length : found.index
}
