// The form of an API key: `svc_live_v1_` + 256 random bits in base62 + a CRC-32 in base62. The checksum lets us, and secret
// scanners, tell a mistyped or foreign string from a key without a query. Letters and digits only: one double click selects it.

import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { API_KEY_PREFIX } from '@sauti/protocol/api-key'

const RANDOM_BYTES = 32
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
// 62^43 > 2^256 and 62^6 > 2^32.
const SECRET_CHARACTERS = 43
const CHECKSUM_CHARACTERS = 6
const HINT_CHARACTERS = 4
const KEY_PATTERN = new RegExp(`^${API_KEY_PREFIX}[0-9A-Za-z]{${SECRET_CHARACTERS + CHECKSUM_CHARACTERS}}$`)

export function generateApiKey(random: Buffer = randomBytes(RANDOM_BYTES)): string {
  const secret = BigInt(`0x${random.toString('hex')}`)
  const body = API_KEY_PREFIX + toBase62(secret, SECRET_CHARACTERS)
  return body + checksum(body)
}

/** Whether the string can be a key at all. Looks only at the checksum, which is not secret, so timing does not matter. */
export function isApiKey(text: string): boolean {
  if (!KEY_PATTERN.test(text)) return false
  const body = text.slice(0, -CHECKSUM_CHARACTERS)
  return text.endsWith(checksum(body))
}

/** What is stored and looked up. Comparing hashes in an index leaks nothing: nobody can choose a hash byte by byte. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** Enough to tell one's own keys apart, 24 of 256 bits: nothing to guess from. */
export function hintOf(key: string): string {
  return key.slice(0, API_KEY_PREFIX.length + HINT_CHARACTERS)
}

function checksum(body: string): string {
  return toBase62(BigInt(crc32(body)), CHECKSUM_CHARACTERS)
}

function toBase62(value: bigint, length: number): string {
  let digits = ''
  for (let rest = value; digits.length < length; rest /= 62n) digits = ALPHABET[Number(rest % 62n)] + digits
  return digits
}
