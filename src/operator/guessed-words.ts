// Words that passwords are commonly made of, longest first: a data table.

const WORDS = `
password passwort contraseña contrasena motdepasse senha parola wachtwoord passphrase passcode secret letmein welcome willkommen bienvenido
admin administrator administrador root user usuario login guest default changeme change temporary temp test testing demo example sample
crow gateway memory server system network internet computer laptop windows linux ubuntu debian google facebook github openai chatgpt claude
qwerty azerty qwertz asdf zxcv abc123 iloveyou loveyou love lovely trustno1 trust monkey dragon master shadow sunshine princess princesa football
baseball basketball soccer hockey superman batman spiderman pokemon starwars naruto minecraft michael jennifer jessica jordan michelle daniel
anthony andrew joshua matthew charlie thomas robert william ashley nicole hunter killer ranger harley cheese pepper ginger summer winter spring autumn
january february march april monday tuesday wednesday thursday friday saturday sunday whatever freedom flower orange banana chocolate cookie
purple yellow silver golden diamond angel angels buster tigger maggie soccer hello hola hallo bonjour world mundo access correct horse battery staple
computer internet samsung apple iphone android mustang ferrari porsche mercedes corvette yankees liverpool chelsea arsenal barcelona madrid
jesus christ god heaven family mother father baby mama papa amigo amor teamo tequiero estrella familia lakers cowboys eagles steelers
please enter open sesame nothing something money dollar casino lucky lottery hunter2 ninja mypass pass word blink182 metallica
`

export const GUESSED_WORDS: readonly string[] = [...new Set(WORDS.split(/\s+/).filter((word) => word !== ''))].toSorted(
  (a, b) => b.length - a.length,
)
