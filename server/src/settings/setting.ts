// One setting of the service: its variable, how its text is read, its default and what it is for. table.ts lists them all.

import { readFileSync } from 'node:fs'
import { seconds } from './parse.ts'

/** A type of its own, so that a description in its place does not compile. */
type Variable = `SAUTI_${string}`

export interface Setting<T> {
  readonly variable: Variable
  /** Turns text into the value; throws an Error that says what the text must be. */
  readonly parse: (text: string) => T
  readonly fallback: T
  /** What the documentation shows as the default; for a default that is found out at start. */
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
  variable: Variable,
  parse: (text: string) => T,
  fallback: F,
  description: string,
  { fallbackText = fallback === undefined ? '' : String(fallback), isSecret = false }: SettingOptions = {},
): Setting<F extends undefined ? T | undefined : T> {
  return { variable, parse, fallback: fallback as never, fallbackText, description, isSecret }
}

const MAX_SECONDS = 86_400

/** A setting in seconds that the program knows in milliseconds. */
export function duration(variable: Variable, fallbackSeconds: number, description: string): Setting<number> {
  return setting(variable, seconds(0.01, MAX_SECONDS), fallbackSeconds * 1000, description, {
    fallbackText: `${fallbackSeconds}`,
  })
}

/** Reads every setting of the table. What is wrong is added to `problems`, its value is then the default. */
export function readSettings<Table extends SettingsTable>(
  table: Table,
  env: NodeJS.ProcessEnv,
  problems: string[],
): Values<Table> {
  const read = (one: Setting<unknown>): unknown => {
    let text: string | undefined
    try {
      text = readText(one, env)
      return text === undefined ? one.fallback : one.parse(text)
    } catch (error) {
      const shown = one.isSecret || text === undefined ? '' : `, not ${JSON.stringify(text)}`
      problems.push(`${one.variable} ${(error as Error).message}${shown}`)
      return one.fallback
    }
  }
  return Object.fromEntries(Object.entries(table).map(([name, one]) => [name, read(one)])) as Values<Table>
}

/** A secret may also be in a file, which other processes do not see and which tools for secrets can replace. */
export function variablesOf({ variable, isSecret }: Setting<unknown>): readonly string[] {
  return isSecret ? [variable, `${variable}_FILE`] : [variable]
}

function readText(one: Setting<unknown>, env: NodeJS.ProcessEnv): string | undefined {
  const [direct, file] = variablesOf(one).map(name => env[name]?.trim() || undefined)
  if (direct === undefined && file !== undefined) return readSecretFile(one.variable, file)
  if (direct !== undefined && file !== undefined)
    throw new Error(`and ${one.variable}_FILE must not be set together`)
  return direct
}

function readSecretFile(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    throw new Error(
      `cannot be read from the file that ${variable}_FILE names (${(cause as NodeJS.ErrnoException).code})`,
      {
        cause,
      },
    )
  }
}
