// From arguments to options, and from their text to values.

import { parseArgs } from 'node:util'
import { EMAIL_PATTERN, LINE_PATTERN, MAX_EMAIL_CHARACTERS } from '@sauti/protocol/console-rules'
import { isModelId, MODEL_IDS, type ModelId } from '@sauti/protocol/models'
import { isAddressOrNetwork } from '@sauti/server/network/address-list.js'
import { type Command, type OptionSpec, type Options, UsageError } from './command.ts'
import { didYouMean } from './did-you-mean.ts'

export const JSON_OPTION: OptionSpec = { description: 'Print one JSON object.' }

export function parseOptions(command: Command, args: readonly string[]): Options {
  const { values, positionals } = readArguments(command, args)
  const list = command.list ? positionals : []
  const [bare, ...surplus] = command.list ? [] : positionals
  if (bare !== undefined && command.positional) values[command.positional] ??= bare
  if (surplus.length > 0 || (bare !== undefined && !command.positional)) {
    throw new UsageError(`"${surplus[0] ?? bare}" is one argument too many; see sauti ${command.name} --help`)
  }
  const text = (name: string) => values[name] as string | undefined
  const called = (name: string) => nameOf(command, name)
  const required = (name: string) => {
    const value = text(name)
    if (value === undefined || value === '')
      throw new UsageError(`${called(name)} is required; see sauti ${command.name} --help`)
    return value
  }
  return { text, required, flag: name => values[name] === true, called, list }
}

function nameOf({ positional, options }: Command, name: string): string {
  return name === positional ? (options[name]?.value ?? name) : `--${name}`
}

function readArguments(command: Command, args: readonly string[]) {
  const specs = Object.entries({ ...command.options, json: JSON_OPTION })
  const options = Object.fromEntries(
    specs.map(([name, { value }]) => [name, { type: value ? ('string' as const) : ('boolean' as const) }]),
  )
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: true,
    })
    return { values: values as Record<string, string | boolean | undefined>, positionals }
  } catch (cause) {
    const message = cause instanceof Error ? cause.message.split('. ')[0] : String(cause)
    const unknown = /Unknown option '--([^']+)'/.exec(message ?? '')?.[1]
    const hint = unknown ? didYouMean(unknown, Object.keys(options)).replace('"', '"--') : ''
    throw new UsageError(`${message}${hint || `; see sauti ${command.name} --help`}`, { cause })
  }
}

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

export function readId(options: Options, name: string): string {
  const id = options.required(name)
  if (UUID.test(id)) return id.toLowerCase()
  throw new UsageError(`${options.called(name)} must be an id like 01234567-89ab-4cde-8f01-23456789abcd`)
}

const LINE = new RegExp(LINE_PATTERN, 'u')
const EMAIL = new RegExp(EMAIL_PATTERN, 'u')

export const readName = (options: Options, name: string): string => readLine(options, name, 200)

export function readLine(options: Options, name: string, most: number): string {
  const value = options.required(name).trim()
  if (LINE.test(value) && value.length <= most) return value
  throw new UsageError(
    `${options.called(name)} must have 1 to ${most} characters, without control characters`,
  )
}

export function readEmail(options: Options, name: string): string {
  const email = options.required(name).trim().toLowerCase()
  if (EMAIL.test(email) && email.length <= MAX_EMAIL_CHARACTERS) return email
  throw new UsageError(`${options.called(name)} must be an e-mail address`)
}

/** Amounts that fit the ledger with room for a lifetime of sums: up to 100 years of audio. */
const MAX_SECONDS = 100 * 366 * 86_400

/** Credit is given in seconds, with fractions down to the millisecond, and stored in milliseconds. */
export function readCreditMs(options: Options, name: string): number {
  const text = options.required(name)
  const seconds = Number(text)
  if (/^\d+(\.\d{1,3})?$/.test(text) && seconds <= MAX_SECONDS) return Math.round(seconds * 1000)
  throw new UsageError(
    `${options.called(name)} must be a number of seconds up to ${MAX_SECONDS}, such as 3600`,
  )
}

/** null: without limit. */
export function readLimitMs(options: Options, name: string): number | null {
  if (options.text(name) === undefined) return null
  const limitMs = readCreditMs(options, name)
  if (limitMs > 0) return limitMs
  throw new UsageError(`${options.called(name)} must be more than 0`)
}

export function readCount(options: Options, name: string): number {
  const text = options.required(name)
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new UsageError(`${options.called(name)} must be a whole number from 1 to 999999`)
}

/** null: all models. */
export function readModels(options: Options, name: string): ModelId[] | null {
  const text = options.text(name)
  if (text === undefined) return null
  const models = text.split(',').map(model => model.trim())
  if (models.every(isModelId)) return [...new Set(models)]
  throw new UsageError(`${options.called(name)} must be models, comma separated: ${MODEL_IDS.join(', ')}`)
}

/** null: any address. */
export function readAddresses(options: Options, name: string): string[] | null {
  const text = options.text(name)
  if (text === undefined) return null
  const addresses = text.split(',').map(address => address.trim())
  if (addresses.every(isAddressOrNetwork)) return addresses
  throw new UsageError(
    `${options.called(name)} must be addresses or networks such as 10.0.0.0/8, comma separated`,
  )
}

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** null: without --expires-in, never. */
export function readExpiry(options: Options, name: string, now: Date): Date | null {
  const text = options.text(name)
  if (text === undefined) return null
  const [, count, unit] = /^([1-9]\d{0,4})([mhdw])$/.exec(text) ?? []
  if (count && unit) return new Date(now.getTime() + Number(count) * UNIT_MS[unit]!)
  throw new UsageError(`${options.called(name)} must be a time such as 30m, 12h, 90d or 8w`)
}
