// What a command is: a name, its options, words for its help, and what it does.

export interface OptionSpec {
  readonly description: string
  /** What the help calls the value; absent for a switch without a value. */
  readonly value?: string
  readonly required?: boolean
}

/** What is known of a command before its file is loaded. */
export interface ListedCommand {
  /** One or two words, as they are typed. */
  readonly name: string
  readonly summary: string
  readonly usesNetwork: boolean
}

/** Its summary is in the list of commands. */
export interface Command {
  readonly name: string
  readonly options: Readonly<Record<string, OptionSpec>>
  /** The option that a bare argument fills, so that `keys revoke ID` is `keys revoke --key ID`. */
  readonly positional?: string
  /** What the help calls the bare arguments, where a command takes any number of them. */
  readonly list?: string
  readonly examples: readonly string[]
  /** A command that keeps running returns nothing. */
  run(options: Options): Promise<Result | undefined>
}

/** The options as they were given. A getter throws an error in words for the user. */
export interface Options {
  text(name: string): string | undefined
  required(name: string): string
  flag(name: string): boolean
  /** As it is usually written: an option that needs no name is called by its value. */
  called(name: string): string
  /** The bare arguments of a command that takes a list. */
  readonly list: readonly string[]
}

export interface Result {
  /** Printed with --json, as one line. */
  readonly json: object
  /** Printed without. */
  readonly text: string
  readonly exitCode?: number
}

/** The command was called wrongly: exit code 2. */
export class UsageError extends Error {}

/** Exit codes that tell a script what to do about a failure; 0 is success, 2 wrong usage. */
export const EXIT = { failed: 1, refused: 3, noCredit: 4, unavailable: 5, badInput: 6 } as const

/** The command was called correctly but failed; the message is all that is printed. */
export class Failure extends Error {
  readonly exitCode: number

  constructor(message: string, options: ErrorOptions & { exitCode?: number } = {}) {
    super(message, options)
    this.exitCode = options.exitCode ?? EXIT.failed
  }
}
