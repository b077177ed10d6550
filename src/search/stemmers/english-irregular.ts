// English forms that no suffix rule can bring together, by base form. A data table.

const FORMS = `
be: was were been
arise: arose arisen
awake: awoke awoken
become: became
begin: began begun
bend: bent
bite: bitten
blow: blew blown
break: broke broken
bring: brought
build: built
buy: bought
catch: caught
choose: chose chosen
come: came
creep: crept
deal: dealt
dig: dug
do: did done does
draw: drew drawn
dream: dreamt
drink: drank drunk
drive: drove driven
eat: ate eaten
fall: fell fallen
feed: fed
feel: felt
fight: fought
find: found
flee: fled
fly: flew flown flies
forbid: forbade forbidden
forget: forgot forgotten
forgive: forgave forgiven
freeze: froze frozen
get: got gotten
give: gave given
go: went gone goes
grow: grew grown
hang: hung
have: had has
hear: heard
hide: hid hidden
hold: held
keep: kept
kneel: knelt
know: knew known
lead: led
lean: leant
learn: learnt
leave: left
lend: lent
lose: lost
make: made
mean: meant
meet: met
pay: paid
ride: rode ridden
ring: rang rung
rise: risen
run: ran
say: said
see: saw seen
seek: sought
sell: sold
send: sent
shake: shook shaken
shine: shone
shoot: shot
show: shown
shrink: shrank shrunk
sing: sang sung
sink: sank sunk
sit: sat
sleep: slept
slide: slid
speak: spoke spoken
spend: spent
spin: spun
spring: sprang sprung
stand: stood
steal: stole stolen
stick: stuck
strike: struck
swear: swore sworn
sweep: swept
swim: swam swum
swing: swung
take: took taken
teach: taught
tear: tore torn
tell: told
think: thought
throw: threw thrown
understand: understood
wake: woke woken
wear: wore worn
weave: wove woven
win: won
withdraw: withdrew withdrawn
write: wrote written
overcome: overcame
undergo: underwent undergone
rebuild: rebuilt
rewrite: rewrote rewritten
child: children
foot: feet
goose: geese
knife: knives
leaf: leaves
life: lives
loaf: loaves
man: men
mouse: mice
person: people
shelf: shelves
thief: thieves
tooth: teeth
wife: wives
wolf: wolves
woman: women
`

export const irregularEnglish: ReadonlyMap<string, string> = new Map(
  FORMS.trim()
    .split('\n')
    .flatMap((line) => {
      const [base = '', forms = ''] = line.split(': ')
      return forms.split(' ').map((form): [string, string] => [form, base])
    }),
)
