// Between the owner and a client that wants in.
import { inFile } from './defence.ts'

const CONSENT = 'nothing skips consent: no cookie, no silent prompt, no second client at the same redirect'
const PAGE = 'the consent page cannot be framed, shows names inert and says where the answer goes'
const FORMS = 'another site cannot make the browser of the owner consent, or send any form of his'

export const consent = inFile('consent', [
  {
    attack: '14 the consent to one client counts for another',
    file: 'plugins/oauth/grant.ts',
    text: '  return {\n    clientId: client.clientId,',
    without: "  return {\n    clientId: 'any',",
    test: CONSENT,
  },
  {
    attack: '14 a program on the machine takes the place of another',
    file: 'plugins/oauth/policy.ts',
    text: 'ctx.oidc.entities.Grant?.jti === undefined ? Check.REQUEST_PROMPT',
    without: 'ctx.oidc.entities.Grant?.jti === null ? Check.REQUEST_PROMPT',
    test: CONSENT,
  },
  {
    attack: '14 cookies of an ended session',
    file: 'plugins/oauth/policy.ts',
    text: 'ctx.oidc.session?.accountId === OPERATOR && isOperatorLive(ctx)',
    without: 'ctx.oidc.session?.accountId === OPERATOR',
    test: CONSENT,
  },
  {
    attack: '15 the consent page is framed',
    file: 'plugins/armour/pages.ts',
    text: '"frame-ancestors \'none\'",',
    without: '',
    test: PAGE,
  },
  {
    attack: '15 a name reads as another one',
    file: 'src/pages/inert.ts',
    text: ".replace(INVISIBLE, ' ')",
    without: '',
    test: PAGE,
  },
  {
    attack: '15 a name is markup',
    file: 'src/lib/html.ts',
    text: 'ENTITIES[character] ?? character',
    without: 'character',
    test: PAGE,
  },
  {
    attack: '16 another site sends the form of consent',
    file: 'plugins/oauth/interaction.ts',
    text: '    refuseForeignForm(request)\n',
    without: '',
    test: FORMS,
  },
  {
    attack: '16 another site sends the forms of the dashboard',
    file: 'plugins/doors/operator.ts',
    text: '    refuseForeignForm(request)\n',
    without: '',
    test: FORMS,
  },
  {
    attack: '16 another page of this machine sends a form',
    file: 'plugins/armour/self.ts',
    text: "if (site !== undefined && site !== 'same-origin') throw foreignForm()",
    without: '',
    test: FORMS,
  },
  {
    attack: '16 a browser that says nothing of where a form comes from',
    file: 'plugins/armour/self.ts',
    text: 'if (origin === undefined ? site === undefined : !isOwn(request, origin)) throw foreignForm()',
    without: '',
    test: FORMS,
  },
])
