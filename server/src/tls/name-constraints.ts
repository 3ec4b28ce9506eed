// X.509 name constraints (RFC 5280, 4.2.1.10): a local authority that a person trusts may vouch for this installation's names and
// for nothing else, so that its key, once stolen, does not open every other site. By hand, because @peculiar/x509 has no such extension.

import { isIP } from 'node:net'

export const NAME_CONSTRAINTS = '2.5.29.30'

const SEQUENCE = 0x30
/** GeneralName: dNSName [2] and iPAddress [7]. */
const DNS_NAME = 0x82
const IP_ADDRESS = 0x87
const PERMITTED = 0xa0

/** The value of the extension that permits these names. */
export function encodeNameConstraints(names: readonly string[]): Buffer {
  return der(SEQUENCE, der(PERMITTED, ...names.map(encodeSubtree)))
}

/** Whether constraints that we have written permit all of these names. */
export function permitsAll(constraints: Buffer, names: readonly string[]): boolean {
  return names.every(name => constraints.includes(encodeSubtree(name)))
}

function encodeSubtree(name: string): Buffer {
  const base =
    isIP(name) === 0 ? der(DNS_NAME, Buffer.from(name, 'latin1')) : der(IP_ADDRESS, encodeAddress(name))
  return der(SEQUENCE, base)
}

/** The address and a mask of all its bits. */
function encodeAddress(address: string): Buffer {
  const bytes = isIP(address) === 4 ? Buffer.from(address.split('.').map(Number)) : encodeIPv6(address)
  return Buffer.concat([bytes, Buffer.alloc(bytes.length, 0xff)])
}

function encodeIPv6(address: string): Buffer {
  // URL writes every address in its shortest form, without a dotted end.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill('0')
  const all = [...groups(head), ...zeros, ...groups(tail)]
  return Buffer.from(all.map(group => group.padStart(4, '0')).join(''), 'hex')
}

/** One element of DER: its tag, its length, its contents. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents)
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
