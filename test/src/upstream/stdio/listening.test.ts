// Without sessions a server tells of changes only on a stream that was asked for: it is kept open, and says what is watched.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RpcError } from '../../../../src/lib/link.ts'
import { objectOf } from '../../../../src/lib/json.ts'
import { received } from '../../../fixtures/upstream/fake-record.ts'
import { callText, opened, PATIENCE } from '../../../fixtures/upstream/opened.ts'
import { until } from '../../../fixtures/until.ts'

const timeout = 30_000

const filters = (record: string): unknown[] =>
  received(record, 'subscriptions/listen').map(({ params }) => objectOf(params)['notifications'])

const LISTS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

test('a stream that ends is opened again, and changes are heard on it', { timeout }, async (t) => {
  const { link, record, told } = await opened(t, { era: '2026' })
  await callText(link, 'end_listening')
  await until(() => received(record, 'subscriptions/listen').length === 2)
  await callText(link, 'change', { what: 'tools' })
  assert.deepEqual(filters(record), [LISTS, LISTS])
  assert.deepEqual(
    told.map(({ method }) => method),
    ['notifications/tools/list_changed'],
  )
})

test('watching a resource is one more thing to listen for, for as long as it is watched', { timeout }, async (t) => {
  const { link, record, told } = await opened(t, { era: '2026' })
  const uri = 'memo://two'
  const updates = (): unknown[] => told.map(({ params }) => params['uri'])
  await Promise.all([
    link.request('resources/subscribe', { uri }, PATIENCE),
    link.request('resources/subscribe', { uri: 'memo://three' }, PATIENCE),
  ])
  assert.ok(filters(record).length <= 2, 'wishes in a row are one stream')
  await callText(link, 'update', { uri })
  await link.request('resources/unsubscribe', { uri }, PATIENCE)
  await callText(link, 'update', { uri })
  await callText(link, 'update', { uri: 'memo://three' })
  assert.deepEqual(updates(), [uri, 'memo://three'])
  assert.deepEqual(filters(record).at(-1), { ...LISTS, resourceSubscriptions: ['memo://three'] })
  await until(() => received(record, 'notifications/cancelled').length === filters(record).length - 1)
  assert.equal(received(record, 'resources/subscribe').length, 0, 'gone in this revision')
})

test('a server that nothing changes at is not listened to until something is watched', { timeout }, async (t) => {
  const { link, record } = await opened(t, { era: '2026', capabilities: { tools: {}, resources: { subscribe: true } } })
  await callText(link, 'echo')
  assert.deepEqual(filters(record), [])
  await link.request('resources/subscribe', { uri: 'memo://two' }, PATIENCE)
  await link.request('resources/unsubscribe', { uri: 'memo://two' }, PATIENCE)
  await callText(link, 'echo')
  assert.deepEqual(filters(record), [{ resourceSubscriptions: ['memo://two'] }])
  assert.equal(received(record, 'notifications/cancelled').length, 1)
})

test('a server that refuses says so to who wants to watch, and is not asked over and over', { timeout }, async (t) => {
  const { link, record, noted } = await opened(t, { era: '2026', listen: 'refuse' })
  await assert.rejects(
    link.request('resources/subscribe', { uri: 'memo://two' }, PATIENCE),
    (error) => error instanceof RpcError && /limit/.test(error.message),
  )
  assert.ok(filters(record).length <= 2)
  await until(() => filters(record).length === 3)
  assert.deepEqual(filters(record).at(-1), LISTS)
  assert.ok(noted.length >= 2)
  assert.equal(await callText(link, 'echo'), 'Echo: ')
})

test('with sessions a resource is subscribed to in its own words', { timeout }, async (t) => {
  const { link, record, told } = await opened(t, {}, { era: '2025' })
  await link.request('resources/subscribe', { uri: 'memo://two' }, PATIENCE)
  await callText(link, 'update', { uri: 'memo://two' })
  assert.equal(received(record, 'resources/subscribe').length, 1)
  assert.equal(told.length, 1)
})
