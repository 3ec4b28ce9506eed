// Who is counted as one client, for rates and for nothing else: no address is stored or logged.

import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'

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

export type AddressReader = (request: IncomingMessage) => string

/** Reads the client's address: X-Forwarded-For is believed as far as it was written by trusted proxies, from the last backwards. */
export function createAddressReader(trustedProxies: readonly string[] = []): AddressReader {
  const trusted = new BlockList()
  for (const proxy of trustedProxies) addNetwork(trusted, proxy)
  const isTrusted = (ip: string) => isIP(ip) !== 0 && trusted.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4')
  return ({ headers, socket }) => {
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
    const hops = [
      ...forwarded.map(hop => hop.trim()).filter(hop => hop !== ''),
      socket.remoteAddress ?? 'unknown',
    ]
    return hops.findLast(hop => !isTrusted(hop)) ?? hops[0]!
  }
}

function addNetwork(list: BlockList, network: string): void {
  const [address = '', bits] = network.split('/')
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  if (bits === undefined) list.addAddress(address, family)
  else list.addSubnet(address, Number(bits), family)
}
