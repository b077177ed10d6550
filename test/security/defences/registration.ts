// What a client says of itself, and where its document leads.
import { inFile } from './defence.ts'

const FLOOD = 'a flood of registrations is stopped, and what one may hold is bounded'

export const registration = inFile('registration', [
  {
    attack: '17 thousands of registrations',
    file: 'plugins/oauth/index.ts',
    text: "const COUNTED = { applicant: { refund: 'never' } } as const",
    without: "const COUNTED = { applicant: { refund: 'success' } } as const",
    test: FLOOD,
  },
  {
    attack: '17 a thousand redirects',
    file: 'src/oauth/registration.ts',
    text: 'const REDIRECTS_MAX = 16',
    without: 'const REDIRECTS_MAX = 1600',
    test: FLOOD,
  },
  {
    attack: '17 a megabyte of metadata',
    file: 'src/oauth/registration.ts',
    text: 'REGISTRATION_BYTES_MAX = 16 << 10',
    without: 'REGISTRATION_BYTES_MAX = 16 << 20',
    test: FLOOD,
  },
  {
    attack: '18 the address of a client lies inside',
    file: 'src/lib/guarded-fetch.ts',
    text: '!addresses.every(isPublic)',
    without: '!addresses.some(isPublic)',
    test: 'the address of a client leads nobody inside, and nothing from there is shown',
  },
  {
    attack: '18 a private address in another spelling',
    file: 'src/lib/public-address.ts',
    text: 'return family === 6 && unicast.check(address',
    without: 'return family === 6 || unicast.check(address',
    test: 'the address of a client leads nobody inside, and nothing from there is shown',
  },
])
