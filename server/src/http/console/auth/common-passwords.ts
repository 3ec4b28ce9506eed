// Passwords that everybody tries first: the most frequent ones of public leaks, shipped as short hashes (server/data/README.md).

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ServiceError } from '@sauti/protocol/errors'

const HASH_BYTES = 5

export type PasswordCheck = (password: string) => void

/** Makes the check that throws common_password. `file` is the sorted list of hashes. */
export function openCommonPasswords(file: string): PasswordCheck {
  const hashes = readFileSync(file)
  return password => {
    if (includes(hashes, hashOf(password))) throw new ServiceError('common_password')
  }
}

function hashOf(password: string): Buffer {
  return createHash('sha256').update(password.toLowerCase()).digest().subarray(0, HASH_BYTES)
}

/** Binary search. */
function includes(hashes: Buffer, wanted: Buffer): boolean {
  let [low, high] = [0, hashes.length / HASH_BYTES]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const order = hashes.compare(wanted, 0, HASH_BYTES, middle * HASH_BYTES, (middle + 1) * HASH_BYTES)
    if (order === 0) return true
    if (order < 0) low = middle + 1
    else high = middle
  }
  return false
}
