// Codes and refresh tokens are used up before what they buy is stored. Where nothing is given for them, because storing fails or
// the request names a wrong resource, they are given back: a client that tries again would look like a thief, and everything it
// has would end.
import { Provider } from 'oidc-provider'
import { askerOf } from './ask.ts'
import { spentBy, type Spendable } from './spent-by.ts'

export function noteSpent(provider: Provider): void {
  provider.on('refresh_token.consumed', ({ jti }) => note({ model: 'RefreshToken', id: jti }))
  provider.on('authorization_code.consumed', ({ jti }) => note({ model: 'AuthorizationCode', id: jti }))
  provider.on('refresh_token.saved', ({ jti }) => {
    const spent = spentNow()
    if (spent !== undefined) spent.successor = jti
  })
}

function spentNow(): Spendable | undefined {
  const request = Provider.ctx === undefined ? undefined : askerOf(Provider.ctx.req)
  return request === undefined ? undefined : spentBy.get(request)
}

function note(spent: Spendable): void {
  const request = Provider.ctx === undefined ? undefined : askerOf(Provider.ctx.req)
  if (request !== undefined) spentBy.set(request, spent)
}
