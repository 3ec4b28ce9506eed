// Where a request comes from, and who is counted as one client.

import type { IncomingMessage } from 'node:http'
import { createAddressMatcher } from './address-list.ts'

/** One client: an IPv4 address, or the /64 of an IPv6 address, which one machine owns as a whole. */
export function addressGroup(ip: string): string {
  if (!ip.includes(':')) return ip
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)
  if (mapped) return mapped[1]!
  const [head = '', tail] = ip.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array<string>(Math.max(0, zeros)).fill('0'), ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** Names the client of a request, for every limit of the service. */
export function createClientReader(trustedProxies?: readonly string[]): AddressReader {
  const readAddress = createAddressReader(trustedProxies)
  return request => addressGroup(readAddress(request))
}

export type AddressReader = (request: IncomingMessage) => string

/** Reads the client's address: X-Forwarded-For is believed as far as it was written by trusted proxies, from the last backwards. */
export function createAddressReader(trustedProxies: readonly string[] = []): AddressReader {
  const isTrusted = createAddressMatcher(trustedProxies)
  return ({ headers, socket }) => {
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
    const hops = [
      ...forwarded.map(hop => hop.trim()).filter(hop => hop !== ''),
      socket.remoteAddress ?? 'unknown',
    ]
    return hops.findLast(hop => !isTrusted(hop)) ?? hops[0]!
  }
}
