// Lists of network addresses, as people write them: 192.0.2.7, 10.0.0.0/8, 2001:db8::/32.

import { BlockList, isIP, isIPv6 } from 'node:net'

/** Whether the text is an address or a network. */
export function isAddressOrNetwork(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

/** Makes a function that says whether an address is in the list. What is not an address is in none. */
export function createAddressMatcher(list: readonly string[]): (address: string) => boolean {
  // Most services have no proxy in front of them, and every request would make Node parse its address.
  if (list.length === 0) return () => false
  const networks = new BlockList()
  for (const entry of list) addNetwork(networks, entry)
  return address => isIP(address) !== 0 && networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

function addNetwork(networks: BlockList, network: string): void {
  const [address = '', bits] = network.split('/')
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  if (bits === undefined) networks.addAddress(address, family)
  else networks.addSubnet(address, Number(bits), family)
}
