// Everyday English words that mean nearly the same, or name the doer and the deed: whoever asks seldom uses the word that was
// noted. A data table, for queries only; a stored text is indexed as the words it has.

import { stem } from './stems.ts'

const GROUPS = `
  child kid; mother mom mum mommy mama; father dad daddy papa; grandmother grandma granny; grandfather grandpa; parents folks
  brother bro; sister sis; husband spouse; wife spouse; boyfriend partner; girlfriend partner; friend buddy pal; baby infant
  marriage marry wedding; neighbour neighbor; colleague coworker; boss manager; lawyer attorney; doctor physician

  photo photograph picture pic; movie film; tv television; phone telephone mobile; bike bicycle; plane airplane aeroplane
  car automobile vehicle; flat apartment; store shop; town city; country nation; street road; hotel motel

  job occupation profession career; company firm business; trip journey travel; vacation holiday; gift present
  meal food dish; dinner supper; dessert sweets; hobby pastime; contest competition; tournament tourney

  buy purchase; begin start; finish complete; talk speak chat; speak speech; fix repair; choose choice select pick
  decide decision; quit resign; die death; lose loss; succeed success; sell sale; advise advice; believe belief; grow growth
  obtain acquire; receive get; allow permit; help assist; need require; show display; try attempt

  big large huge; small little tiny; quick fast rapid; glad happy; sad unhappy; angry mad anger; scared afraid fear
  sick ill illness; pretty beautiful gorgeous beauty; tired exhausted; smart clever intelligent; strong strength; long length
  high height; deep depth; wide width; warm warmth; hungry hunger; healthy health; wealthy wealth; famous fame
  dangerous danger; religious religion; important importance; different difference

  art artist artistic; music musician musical; dance dancer; write writer; paint painter; teach teacher; sing singer song
  play player; run runner; swim swimmer; bake baker bakery; photograph photographer; science scientist scientific
  politics political politician; educate education; finance financial; emotion emotional; science scientist; tour tourist

  favourite favorite; colour color; centre center; theatre theater; behaviour behavior; grey gray; programme program
  organise organize; realise realize; analyse analyze; recognise recognize; licence license; jewellery jewelry
  pyjamas pajamas; tyre tire; cheque check; maths math mathematics; mum mom; licence license; defence defense
`

function groupedStems(): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>()
  for (const group of GROUPS.split(/[;\n]/)) {
    const stems = group
      .split(' ')
      .filter((word) => word !== '')
      .map((word) => stem(word, 'en'))
    for (const one of stems) {
      const others = groups.get(one) ?? new Set<string>()
      for (const other of stems) if (other !== one) others.add(other)
      groups.set(one, others)
    }
  }
  return groups
}

let known: ReadonlyMap<string, ReadonlySet<string>> | undefined

/** English stems that mean nearly what this one does; most words have none. */
export function equivalentsOf(englishStem: string): readonly string[] {
  known ??= groupedStems()
  return [...(known.get(englishStem) ?? [])]
}
