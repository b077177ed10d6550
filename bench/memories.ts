// Invented but plausible memories for the benches: people, projects, places, tickets and files, the same for the same seed.

export interface BenchMemory {
  readonly content: string
  readonly context: string
  readonly category: string
  readonly tags: readonly string[]
  readonly source: string
  readonly importance: number
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

const PEOPLE =
  words(`Ada Bruno Carmen Dmitri Elena Farid Greta Hiroshi Ingrid Jonas Kavita Liam Marta Nadia Oscar Priya Quentin Rosa
  Samir Tomas Ulla Viktor Wanda Ximena Yusuf Zofia Alice Boris Clara Daniel Edith Felix Gloria Hassan Irene Jakub Karin Lucia Mateo Nora`)
const TOPICS =
  words(`authentication billing caching dashboard deployment encryption exporter firewall gateway hosting indexing invoicing
  kernel latency migration monitoring notification onboarding parser payroll permission pipeline proxy queue recommendation replication
  reporting retention routing scheduler schema search session shipping snapshot storage streaming subscription telemetry throttling
  translation upload validation warehouse webhook widget backup calendar checkout compiler contract design documentation experiment
  forecast garden holiday hiring insurance interview kitchen landing lecture library license marathon mortgage museum newsletter painting
  passport piano podcast pottery recipe renovation rental research retirement sailing seminar surgery swimming tax theatre therapy training
  travel vaccine visa wedding workshop yoga bicycle camera chess climbing concert dentist dinner doctor festival flight guitar hiking`)
const VERBS =
  words(`approved archived audited benchmarked blocked bought cancelled changed cleaned compared configured confirmed copied debugged
  decided delayed deleted described designed documented dropped enabled estimated explained extended finished fixed implemented improved
  installed introduced investigated launched measured merged migrated moved negotiated ordered organised patched planned postponed prepared
  presented proposed published purchased refactored rejected released removed renamed repaired replaced reported requested reviewed rewrote
  scheduled shipped signed simplified sold started stopped tested translated upgraded validated visited wrote`)
const ADJECTIVES =
  words(`annual broken careful cheap critical daily early expensive external fast final flaky fragile hidden internal large
  legacy local manual minimal missing monthly nightly noisy old optional outdated parallel partial private public quarterly quiet remote
  safe secondary secret shared simple slow small stable strict temporary unusual urgent weekly wide`)
const NOUNS =
  words(`account agreement apartment appointment argument badge balance battery branch budget bug calendar certificate charger client
  colleague comment committee company component computer conference contract cost customer database deadline decision dependency device
  discount document driver email error estimate evening event feature feedback folder friend function garage guest guideline hallway hotel
  house idea incident invoice issue keyboard ladder language laptop lawyer letter limit list machine manager meeting memory message minister
  module morning neighbour note office package page paper parent partner password patient payment phone plan plugin price printer problem
  process product project proposal question reason receipt record release reminder report request result review risk room rule sample
  school script server service setting signature solution standard station student summary supplier team teacher template terminal test
  ticket token tool train vendor version vehicle village visitor week window winter worker`)
const PLACES =
  words(`Lisbon Porto Madrid Berlin Vienna Prague Oslo Helsinki Athens Dublin Lyon Turin Geneva Ghent Krakow Riga Tallinn Kyoto
  Osaka Seoul Hanoi Lima Quito Bogota Montreal Boston Denver Austin Nairobi Accra Cairo Tunis Delhi Pune Perth Auckland`)
const TOOLS =
  words(`Postgres Redis Kafka Docker Kubernetes Terraform Ansible Grafana Prometheus SQLite Fastify React Vue Svelte Django Rails
  Nginx Traefik Vault Consul Jenkins Elixir Rust Golang Kotlin Swift Figma Notion Slack Jira Linear Sentry Stripe Twilio Okta`)
const REASONS = words(`because after before although whenever unless while since`)
const CATEGORIES = words('general project preference person process decision learning goal')
const TAGS = words('work home health money travel family urgent later idea code ops review client legal hobby')
const SOURCES = words('claude-desktop claude-code cursor chatgpt cli import')
const SYLLABLES = words('ba ce di fo gu ha ki lo mu ne po ra si ta vu xe ya zo bri cle dra fle gri plo ste tri')

/** A small generator of numbers (mulberry32); benches must not depend on the run. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Random = () => number

/** Early words of a list come up far more often than late ones, as in any language. */
function pick(random: Random, list: readonly string[]): string {
  return list[Math.floor(random() ** 2 * list.length)] ?? ''
}

/** One of a few thousand invented names: the rare words by which people search. */
function codeName(random: Random): string {
  let name = ''
  for (let i = 0; i < 3; i++) name += SYLLABLES[Math.floor(random() * SYLLABLES.length)] ?? ''
  return name
}

function identifier(random: Random): string {
  const n = Math.floor(random() * 9000) + 100
  const topic = pick(random, TOPICS)
  const noun = pick(random, NOUNS)
  const kinds = [
    `POL-${n}`,
    `src/${topic}/${noun}-${pick(random, NOUNS)}.ts`,
    `ERR_${topic.toUpperCase()}_${noun.toUpperCase()}`,
    `v${n % 9}.${n % 17}.${n % 31}`,
    `${topic}${noun.charAt(0).toUpperCase()}${noun.slice(1)}`,
    `https://${codeName(random)}.example/${topic}/${n}`,
  ]
  return kinds[Math.floor(random() * kinds.length)] ?? ''
}

function date(random: Random): string {
  const at = new Date(Date.UTC(2023, 0, 1) + Math.floor(random() * 1200) * 86_400_000)
  return at.toISOString().slice(0, 10)
}

function clause(random: Random): string {
  const p = (list: readonly string[]): string => pick(random, list)
  const forms: readonly (() => string)[] = [
    () => `${p(PEOPLE)} ${p(VERBS)} the ${p(ADJECTIVES)} ${p(TOPICS)} ${p(NOUNS)} for ${codeName(random)}`,
    () => `the ${p(TOPICS)} ${p(NOUNS)} in ${p(PLACES)} was ${p(VERBS)} by ${p(PEOPLE)} and ${p(PEOPLE)}`,
    () => `we ${p(VERBS)} ${p(TOOLS)} for the ${codeName(random)} ${p(TOPICS)}, see ${identifier(random)}`,
    () =>
      `${p(PEOPLE)} prefers a ${p(ADJECTIVES)} ${p(NOUNS)} over the ${p(ADJECTIVES)} ${p(NOUNS)} on ${date(random)}`,
    () =>
      `my ${p(NOUNS)} about ${p(TOPICS)} needs ${Math.floor(random() * 900)} ${p(NOUNS)}s and one ${p(ADJECTIVES)} ${p(NOUNS)}`,
    () => `${identifier(random)} fails when the ${p(NOUNS)} of ${p(TOOLS)} is ${p(ADJECTIVES)}`,
  ]
  return forms[Math.floor(random() * forms.length)]?.() ?? ''
}

function sentence(random: Random): string {
  const first = clause(random)
  const text = random() < 0.5 ? first : `${first} ${pick(random, REASONS)} ${clause(random)}`
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** One memory of one to four sentences. */
export function benchMemory(random: Random): BenchMemory {
  const content: string[] = []
  for (let i = Math.floor(random() ** 2 * 4); i >= 0; i--) content.push(sentence(random))
  const tags = new Set<string>()
  for (let i = Math.floor(random() * 3); i > 0; i--) tags.add(pick(random, TAGS))
  return {
    content: content.join(' '),
    context:
      random() < 0.6
        ? `${pick(random, TOPICS)} ${pick(random, NOUNS)} with ${pick(random, PEOPLE)}, ${date(random)}`
        : '',
    category: pick(random, CATEGORIES),
    tags: [...tags],
    source: pick(random, SOURCES),
    importance: 1 + Math.floor(random() * 10),
  }
}

/** `count` memories, the same for the same seed. */
export function* benchMemories(count: number, seed = 1): Generator<BenchMemory> {
  const random = randomOf(seed)
  for (let i = 0; i < count; i++) yield benchMemory(random)
}
