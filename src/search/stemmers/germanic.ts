// Suffix tables of German, Dutch and Swedish (which serves Danish and Norwegian well enough), over folded words. Data tables.

import { step } from './suffix-rules.ts'
import type { SuffixTable } from './suffix-rules.ts'

export const german: SuffixTable = {
  vowels: 'aeiouy',
  r1Min: 3,
  verbRegion: false,
  steps: [
    step('r1', 'em ern er e en es nisse>nis nissen>nis nisses>nis'),
    step('r1', 's', { when: 'else', after: /[bdfghklmnrt]$/ }),
    step('r1', 'en er est'),
    step('r1', 'st', { when: 'else', after: /.{3}[bdfghklmnt]$|^.{2}[bdfghklmnt]$/ }),
    step('r2', 'end ung igung igend keit lichkeit igkeit heit erheit lich erlich enlich'),
    step('r2', 'ig ik isch', { when: 'else', after: /[^e]$/ }),
  ],
}

export const dutch: SuffixTable = {
  vowels: 'aeiouy',
  r1Min: 3,
  verbRegion: false,
  steps: [
    step('r1', 'heden>heid'),
    step('r1', 'ene en', { when: 'else', after: /[^aeiouy]$/ }),
    step('r1', 'se s', { when: 'else', after: /[^aeiouyj]$/ }),
    step('r1', 'e', { after: /[^aeiouy]$/ }),
    step('r2', 'heid end ing lijk baar bar ig'),
    step('any', 'kk>k dd>d tt>t pp>p ll>l ss>s nn>n mm>m rr>r bb>b gg>g ff>f'),
    step('any', 'v>f z>s'),
    step(
      'any',
      'aap>ap eep>ep oop>op aak>ak aal>al aam>am aan>an aar>ar aat>at aas>as eek>ek eel>el een>en eer>er eet>et ees>es ook>ok ool>ol oom>om oon>on oor>or oot>ot oos>os uur>ur uut>ut uus>us',
    ),
  ],
}

export const swedish: SuffixTable = {
  vowels: 'aeiouy',
  r1Min: 3,
  verbRegion: false,
  steps: [
    step(
      'r1',
      `a an arna erna heterna orna ad e ade ande arne are aste en anden aren heten ern ar er heter or as arnas ernas ornas es ades andes ens
      arens hetens erns at andet het ast et ene eren erne`,
    ),
    step('r1', 's', { when: 'else', after: /[bcdfghjklmnoprtvy]$/ }),
    step('r1', 'dd>d gd>g nn>n dt>d gt>g kt>k tt>t'),
    step('r1', 'lig ig els lost>los fullt>full'),
  ],
}
