import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { addressGroup, createAddressReader } from '#server/network/client-address.js'

function request(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return { headers, socket: { remoteAddress } } as unknown as IncomingMessage
}

describe('one client', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
  ])('%s belongs to %s', (ip, group) => {
    expect(addressGroup(ip)).toBe(group)
  })
})

describe('the address of a client', () => {
  it.each([
    ['its own, without proxies', [], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['what a trusted proxy saw', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['not what a client claims', ['10.0.0.1'], '10.0.0.1', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
    [
      'what the first of two trusted proxies saw',
      ['10.0.0.0/8'],
      '10.0.0.1',
      '198.51.100.7, 10.0.0.2',
      '198.51.100.7',
    ],
    ['its own, when no proxy says more', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
    ['garbage, when that is what the proxy saw', ['10.0.0.1'], '10.0.0.1', 'nonsense', 'nonsense'],
    ['seen through a mapped address', ['10.0.0.1'], '::ffff:10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['an IPv6 address', ['fd00::/8'], 'fd00::1', '2001:db8::6', '2001:db8::6'],
  ])('is %s', (_name, proxies, remote, forwarded, expected) => {
    expect(createAddressReader(proxies)(request(remote, forwarded))).toBe(expected)
  })
})
