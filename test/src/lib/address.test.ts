// Which addresses are counted together.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf, networkOf } from '../../../src/lib/address.ts'

const timeout = 10_000

test('an IPv4 address counts alone, also in its mapped form', { timeout }, () => {
  assert.equal(networkOf('203.0.113.9'), '203.0.113.9')
  assert.equal(networkOf('::ffff:203.0.113.9'), '203.0.113.9')
  assert.equal(networkOf('::FFFF:203.0.113.9'), '203.0.113.9')
})

test('IPv6 addresses count by their /64, however they are written', { timeout }, () => {
  const home = networkOf('2001:db8:1:2:aaaa:bbbb:cccc:dddd')
  for (const same of ['2001:db8:1:2::1', '2001:0db8:0001:0002::', '2001:DB8:1:2:0:0:0:9', '2001:db8:1:2::1%eth0']) {
    assert.equal(networkOf(same), home, same)
  }
  for (const other of ['2001:db8:1:3::1', '2001:db8:1::1', '::1', 'fe80::1'])
    assert.notEqual(networkOf(other), home, other)
  assert.equal(networkOf('::1'), networkOf('::'))
})

test('the port that a proxy wrote beside an address is not part of it', { timeout }, () => {
  for (const written of ['203.0.113.9', '203.0.113.9:4711']) assert.equal(addressOf(written), '203.0.113.9')
  for (const written of ['2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:4711'])
    assert.equal(addressOf(written), '2001:db8::1')
  assert.equal(addressOf('fe80::1%eth0'), 'fe80::1%eth0')
})

test('whatever is no address is one and the same unknown', { timeout }, () => {
  for (const written of [
    '',
    'unknown',
    '_hidden',
    'evil.example',
    '203.0.113.999:1',
    '203.0.113.9:',
    '[::1',
    '1.2.3.4, 5',
  ])
    assert.equal(addressOf(written), 'unknown', written)
})
