import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { blocksWithPublicUris, originalUri, publicUri, withPublicUri } from '../../../src/upstream/uris.ts'

const timeout = 20_000

test('an address goes out with its server in the scheme and comes back as it was', { timeout }, () => {
  assert.equal(publicUri('notes', 'file:///etc/passwd'), 'notes+file:///etc/passwd')
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z][a-z0-9-]{0,30}$/), fc.string({ minLength: 1 }), (id, uri) => {
      assert.deepEqual(originalUri(publicUri(id, uri)), { id, uri })
    }),
  )
})

test('what is none of ours has no original', { timeout }, () => {
  for (const uri of ['file:///x', 'crow://ledger', '+x', 'notes+', 'Notes+x', 'a_b+x', ''])
    assert.equal(originalUri(uri), undefined, uri)
})

test('templates keep their expressions', { timeout }, () => {
  const template = { name: 't', uriTemplate: 'demo://{+path}/{id}' }
  assert.deepEqual(withPublicUri('every', template), { name: 't', uriTemplate: 'every+demo://{+path}/{id}' })
})

test('links and embedded resources in a result are made public, with every other field', { timeout }, () => {
  const blocks = [
    { type: 'text', text: 'file:///stays', uri: 'not an address here' },
    { type: 'resource_link', uri: 'file:///a', name: 'a', icons: [{ src: 'x' }] },
    { type: 'resource', resource: { uri: 'db://b', text: 'b', _meta: { k: 1 } }, annotations: { priority: 1 } },
  ]
  assert.deepEqual(blocksWithPublicUris('s', blocks), [
    blocks[0],
    { type: 'resource_link', uri: 's+file:///a', name: 'a', icons: [{ src: 'x' }] },
    { type: 'resource', resource: { uri: 's+db://b', text: 'b', _meta: { k: 1 } }, annotations: { priority: 1 } },
  ])
})

test('a list without addresses is the very list that came in', { timeout }, () => {
  const blocks = [{ type: 'text', text: 'x' }, null, 7]
  assert.equal(blocksWithPublicUris('s', blocks), blocks)
})
