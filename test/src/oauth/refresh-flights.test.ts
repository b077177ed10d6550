import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRefreshFlights } from '../../../src/oauth/refresh-flights.ts'

const timeout = 10_000

function bench() {
  const time = { now: 1_000_000 }
  const flights = createRefreshFlights({ now: () => time.now })
  let made = 0
  const fly = async (token: string, status = 200, authorization?: string): Promise<string> => {
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token })
    const answer = await flights.fly({ authorization, form }, async () => ({
      status,
      body: JSON.stringify({ refresh_token: `${token}+${++made}` }),
    }))
    return answer.body
  }
  return { time, flights, fly, made: () => made }
}

test('one token at once is refreshed once, and a moment later answered the same', { timeout }, async () => {
  const { fly, made, time } = bench()
  const answers = await Promise.all([fly('a'), fly('a'), fly('a')])
  assert.equal(new Set(answers).size, 1)
  time.now += 9_999
  assert.equal(await fly('a'), answers[0])
  assert.equal(made(), 1)
  time.now += 1
  await fly('a')
  assert.equal(made(), 2)
})

test('a failure is not remembered', { timeout }, async () => {
  const { fly, flights, made } = bench()
  await fly('a', 400)
  await fly('a', 400)
  assert.equal(made(), 2)
  assert.equal(flights.size, 0)
  await assert.rejects(
    flights.fly({ authorization: undefined, form: new URLSearchParams() }, () => Promise.reject(new Error('x'))),
  )
  assert.equal(flights.size, 0)
})

test('an answer that holds no more is not given again', { timeout }, async () => {
  let isGood = true
  const flights = createRefreshFlights({ now: () => 1 }, () => isGood)
  let made = 0
  const fly = () =>
    flights.fly({ authorization: undefined, form: new URLSearchParams({ refresh_token: 'a' }) }, async () => ({
      status: ++made === 1 ? 200 : 400,
      body: '{}',
    }))
  await fly()
  assert.equal((await fly()).status, 200)
  isGood = false
  assert.equal((await fly()).status, 400)
  assert.deepEqual([made, flights.size], [2, 0])
})

test('who asks for something else than is under way waits for it, and is judged afterwards', { timeout }, async () => {
  const flights = createRefreshFlights({ now: () => 1 })
  const { promise, resolve: land } = Promise.withResolvers<void>()
  const order: string[] = []
  const fly = (scope: string) =>
    flights.fly({ authorization: undefined, form: new URLSearchParams({ refresh_token: 'a', scope }) }, async () => {
      order.push(`${scope} begins`)
      if (scope === 'x y') await promise
      order.push(`${scope} ends`)
      return { status: 200, body: '{}' }
    })
  const all = [fly('x y'), fly('z'), fly('y x')]
  land()
  await Promise.all(all)
  assert.deepEqual(order, ['x y begins', 'x y ends', 'z begins', 'z ends'])
})

test(
  'the same client with the same token asks the same thing, whatever the rest of the form',
  { timeout },
  async () => {
    const { flights } = bench()
    let made = 0
    const fly = (form: string, authorization?: string) =>
      flights.fly({ authorization, form: new URLSearchParams(form) }, async () => ({
        status: 200,
        body: String(++made),
      }))
    await fly('refresh_token=a&client_id=b')
    await fly('client_id=b&refresh_token=a')
    await fly('client_id=b&refresh_token=a&x=%26y')
    assert.equal(made, 1)
    await fly('client_id=c&refresh_token=a')
    await fly('client_id=b&refresh_token=a', 'Basic x')
    await fly('client_id=b&refresh_token=a&scope=x')
    assert.equal(made, 4)
  },
)

test('a clock that goes back replays nothing', { timeout }, async () => {
  const { fly, made, time } = bench()
  await fly('a')
  time.now -= 1
  await fly('a')
  assert.equal(made(), 2)
})
