// How the text of a setting becomes its value. Each throws an Error that says what the text must be.

import { resolve } from 'node:path'

export function text(value: string): string {
  return value
}

export function integer(min: number, max: number): (value: string) => number {
  return value => {
    const number = Number(value)
    if (/^-?\d+$/.test(value) && number >= min && number <= max) return number
    throw new Error(`must be a whole number from ${min} to ${max}`)
  }
}

function decimal(min: number, max: number, unit: string): (value: string) => number {
  return value => {
    const number = Number(value)
    if (/^\d+(\.\d+)?$/.test(value) && number >= min && number <= max) return number
    throw new Error(`must be a number from ${min} to ${max}${unit}`)
  }
}

export function factor(min: number, max: number): (value: string) => number {
  return decimal(min, max, '')
}

/** Seconds outside (fractions allowed, which tests like), integer milliseconds inside. */
export function seconds(min: number, max: number): (value: string) => number {
  const parse = decimal(min, max, ' seconds')
  return value => Math.round(parse(value) * 1000)
}

export function oneOf<const T extends string>(...allowed: readonly T[]): (value: string) => T {
  return value => {
    const found = allowed.find(one => one === value)
    if (found !== undefined) return found
    throw new Error(`must be ${allowed.join(' or ')}`)
  }
}

export function url(...protocols: readonly string[]): (value: string) => URL {
  return value => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined
    if (parsed && protocols.includes(parsed.protocol) && parsed.hostname !== '') return parsed
    throw new Error(`must be an address that begins with ${protocols.map(one => `${one}//`).join(' or ')}`)
  }
}

export function atLeastBytes(bytes: number): (value: string) => string {
  return value => {
    if (Buffer.byteLength(value) >= bytes) return value
    throw new Error(`must have at least ${bytes} bytes (make one with: openssl rand -base64 48)`)
  }
}

export function path(value: string): string {
  return resolve(value)
}

/** A rate: how often per minute. */
export const perMinute = integer(1, 1_000_000)
