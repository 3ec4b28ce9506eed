// One setting of the service: its variable, how its text is read, its default and what it is for. config.ts is a table of these.

export interface Setting<T> {
  readonly variable: string
  /** Turns text into the value; throws an Error that says what the text must be. */
  readonly parse: (text: string) => T
  readonly fallback: T
  /** What stands in the documentation as the default; for a default that is found out at start. */
  readonly fallbackText: string
  readonly description: string
  /** The value must not be shown in a message. */
  readonly isSecret: boolean
}

type Values<Table> = { readonly [K in keyof Table]: Table[K] extends Setting<infer T> ? T : never }
export type SettingsTable = Readonly<Record<string, Setting<unknown>>>

interface SettingOptions {
  readonly fallbackText?: string
  readonly isSecret?: boolean
}

export function setting<T, F extends T | undefined>(
  variable: string,
  parse: (text: string) => T,
  fallback: F,
  description: string,
  { fallbackText = fallback === undefined ? '' : String(fallback), isSecret = false }: SettingOptions = {},
): Setting<F extends undefined ? T | undefined : T> {
  return { variable, parse, fallback: fallback as never, fallbackText, description, isSecret }
}

/** Reads every setting of the table. What is wrong is added to `problems`, its value is then the default. */
export function readSettings<Table extends SettingsTable>(
  table: Table,
  env: NodeJS.ProcessEnv,
  problems: string[],
): Values<Table> {
  const read = (one: Setting<unknown>): unknown => {
    const text = env[one.variable]?.trim()
    if (text === undefined || text === '') return one.fallback
    try {
      return one.parse(text)
    } catch (error) {
      const shown = one.isSecret ? '' : `, not ${JSON.stringify(text)}`
      problems.push(`${one.variable} ${(error as Error).message}${shown}`)
      return one.fallback
    }
  }
  return Object.fromEntries(Object.entries(table).map(([name, one]) => [name, read(one)])) as Values<Table>
}

// ---- how text is read

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
