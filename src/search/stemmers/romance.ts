// Suffix tables of Spanish, Portuguese, Italian and French, over folded words (no accents). Data tables.

import { step } from './suffix-rules.ts'
import type { SuffixTable } from './suffix-rules.ts'

export const spanish: SuffixTable = {
  vowels: 'aeiou',
  r1Min: 0,
  verbRegion: true,
  steps: [
    step('rv', 'me se sela selo selas selos la le lo las les los nos', { after: /(?:ando|iendo|yendo|ar|er|ir)$/ }),
    step(
      'r2',
      `anza anzas ico ica icos icas ismo ismos able ables ible ibles ista istas oso osa osos osas amiento amientos imiento imientos
      adora ador acion adoras adores aciones icadora icador icacion icaciones ante antes ancia ancias logia>log logias>log ucion>u
      uciones>u encia>ente encias>ente mente amente ativamente ivamente osamente idad idades abilidad icidad ividad iva ivo ivas ivos
      ativa ativo ativas ativos`,
    ),
    step('rv', 'ya ye yan yen yeron yendo yo yas yes yais yamos', { when: 'else', after: /u$/ }),
    step(
      'rv',
      `arian arias aran aras ariais aria areis ariamos aremos ara are erian erias eran eras eriais eria ereis eriamos eremos era ere
      irian irias iran iras iriais iria ireis iriamos iremos ira ire aba ada ida ia iera ad ed id ase iese aste iste an aban ian ieran
      asen iesen aron ieron ado ido ando iendo io ar er ir as abas adas idas ias ieras ases ieses is ais abais iais arais ierais aseis
      ieseis asteis isteis ados idos amos abamos iamos imos aramos ieramos iesemos asemos en es eis emos`,
      { when: 'else' },
    ),
    step('rv', 'os o a i e'),
    step('any', 'gu>g qu>c c>c z>c'),
  ],
}

export const portuguese: SuffixTable = {
  vowels: 'aeiou',
  r1Min: 0,
  verbRegion: true,
  steps: [
    step(
      'r2',
      `eza ezas ico ica icos icas ismo ismos avel ivel aveis iveis ista istas oso osa osos osas amento amentos imento imentos adora ador
      acao adoras adores acoes ante antes ancia ancias logia>log logias>log ucao>u ucoes>u encia>ente encias>ente mente amente ativamente
      ivamente idade idades abilidade icidade iva ivo ivas ivos ativa ativo ativas ativos`,
    ),
    step(
      'rv',
      `ada ida ia aria eria iria ara era ira ava asse esse isse aste este iste ei arei erei irei am iam ariam eriam iriam aram eram iram
      avam em arem erem irem assem essem issem ado ido ando endo indo ar er ir as adas idas ias arias erias irias aras eras iras avas
      es ardes erdes irdes ares eres ires asses esses isses astes estes istes is ais eis ieis areis ereis ireis armos ermos irmos amos emos
      imos ariamos eriamos iriamos aramos eramos iramos avamos assemos essemos issemos iamos aremos eremos iremos ados idos arao erao irao
      ou eu iu`,
      { when: 'else' },
    ),
    step('rv', 'os o a i e'),
    step('any', 'oes>ao aes>ao ns>m gu>g qu>c'),
  ],
}

export const italian: SuffixTable = {
  vowels: 'aeiou',
  r1Min: 0,
  verbRegion: true,
  steps: [
    step(
      'rv',
      'ci gli la le li lo mi ne si ti vi sene gliela gliele glieli glielo gliene mela mele meli melo mene tela tele teli telo tene cela cele celi celo cene vela vele veli velo vene',
      { after: /(?:ando|endo|ar|er|ir)$/ },
    ),
    step(
      'r2',
      `anza anze ico ici ica ice iche ichi ismo ismi abile abili ibile ibili ista iste isti oso osi osa ose mente amente atrice atrici ante
      anti azione azioni atore atori icazione icatore logia>log logie>log uzione>u uzioni>u usione>u usioni>u enza>ente enze>ente amento
      amenti imento imenti ita abilita icita ivita ivo ivi iva ive ativo ativi ativa ative`,
    ),
    step(
      'rv',
      `ammo ando ano are arono asse assero assi assimo ata ate ati ato ava avamo avano avate avi avo emmo endo era erai eranno
      ere erebbe erebbero erei eremmo eremo ereste eresti erete ero erono essero ete eva evamo evano evate evi evo iamo iate immo irai
      iranno ire irebbe irebbero irei iremmo iremo ireste iresti irete iro irono isca iscano isce isci isco iscono issero ita ite iti ito iva
      ivamo ivano ivate ivi ivo ono uta ute uti uto ar ir`,
      { when: 'else' },
    ),
    step('rv', 'ia ie ii io a e i o'),
    step('any', 'ch>c gh>g'),
  ],
}

export const french: SuffixTable = {
  vowels: 'aeiouy',
  r1Min: 0,
  verbRegion: true,
  steps: [
    step(
      'r2',
      `ance ique isme able iste eux ances iques ismes ables istes atrice ateur ation atrices ateurs ations icatrice icateur
      ication logie>log logies>log usion>u ution>u usions>u utions>u ence>ent ences>ent euse euses ite ites abilite icite ivite if ive ifs
      ives atif ative atifs atives`,
    ),
    step('rv', 'issement issements ement ements ment ments amment>ant emment>ent', { when: 'else' }),
    step(
      'rv',
      `imes it ites i ie ies ir ira irai iraient irais irait iras irent irez iriez irions irons iront is issaient issais issait issant
      issante issantes issants isse issent isses issez issiez issions issons eaux>au aux>al ions e ee ees es erent er era erai eraient
      erais erait eras erez eriez erions erons eront ez iez ames at ates a ai aient ais ait ant ante antes ants as asse assent asses assiez
      assions`,
      { when: 'else' },
    ),
    step('any', 's', { after: /[^aiousy]$/ }),
    step('rv', 'e ier>i iere>i'),
    step('any', 'enn>en onn>on ett>et ell>el eill>eil y>i c>c'),
  ],
}
