// The `sauti` command: finds the command, reads its options, runs it, and says how it went by the exit code.
// 0: done. 2: it was called wrongly. Others: see EXIT.

import { ConfigError } from '@sauti/server/settings/config.js'
import { VERSION } from '@sauti/server/version.js'
import { Failure, UsageError } from './command.ts'
import { LISTED, loadCommand } from './commands/all.ts'
import { didYouMean } from './did-you-mean.ts'
import { describeAll, describeCommand, describeGroup } from './help.ts'
import { parseOptions } from './options.ts'
import { printable } from './printable.ts'

const VERSION_WORDS: readonly string[] = ['--version', '-V', '-v', 'version']
const OPTIONS_WITHOUT_COMMAND = ['--help', '--version']

/** How a shell reports that a program was ended because its reader closed the pipe. */
const READER_LEFT = 141

export async function main(args: readonly string[]): Promise<number> {
  // `sauti ... | head` closes the pipe when it has enough: an end, not an error.
  process.stdout.on('error', error => {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(READER_LEFT)
    throw error
  })
  try {
    return await dispatch(args)
  } catch (error) {
    if (error instanceof UsageError) return complain(error.message, 2)
    if (error instanceof Failure) return complain(error.message, error.exitCode)
    if (error instanceof ConfigError) return complain(error.message, 1)
    return complain(error instanceof Error ? (error.stack ?? error.message) : String(error), 1)
  }
}

async function dispatch(args: readonly string[]): Promise<number> {
  if (args.length === 1 && VERSION_WORDS.includes(args[0]!)) return say(VERSION)
  // "help keys create" is "keys create --help".
  if (args[0] === 'help' && args.length > 1) return dispatch([...args.slice(1), '--help'])
  // The longest match: "models" must not match what is meant for "models list".
  const listed = LISTED.toSorted((a, b) => b.name.length - a.name.length).find(({ name }) =>
    name.split(' ').every((word, index) => args[index] === word),
  )
  if (!listed) return explainGroup(args) ?? explain(args)
  const command = await loadCommand(listed.name)
  const rest = args.slice(command.name.split(' ').length)
  if (rest.includes('--help') || rest.includes('-h')) return say(describeCommand(command, listed.summary))
  const options = parseOptions(command, rest)
  const result = await command.run(options)
  if (!result) return 0
  if (options.flag('json')) console.log(printable(JSON.stringify(result.json)))
  else if (result.text !== '') console.log(printable(result.text))
  return result.exitCode ?? 0
}

/** Only the first word of some commands was typed. Undefined where it is none, or where there is more. */
function explainGroup(args: readonly string[]): number | undefined {
  const words = withoutHelp(args)
  const group = LISTED.filter(({ name }) => name.startsWith(`${words[0]} `))
  if (group.length === 0 || words.length > 1) return undefined
  return help(describeGroup(group), words.length < args.length)
}

function explain(args: readonly string[]): number {
  const words = withoutHelp(args)
  if (words.length === 0) return help(describeAll(LISTED), words.length < args.length)
  const typed = words.filter(word => !word.startsWith('-')).slice(0, 2)
  const [asked, hint] =
    typed.length === 0
      ? [words.join(' '), didYouMean(words[0]!, OPTIONS_WITHOUT_COMMAND)]
      : [typed.join(' '), guessCommand(typed)]
  throw new UsageError(`there is no command "${asked}"${hint || '; see sauti --help'}`)
}

function guessCommand(typed: readonly string[]): string {
  const names = LISTED.map(({ name }) => name)
  const firstWords = names.map(name => name.split(' ')[0]!)
  return didYouMean(typed.join(' '), names) || didYouMean(typed[0]!, [...names, ...firstWords])
}

function withoutHelp(args: readonly string[]): readonly string[] {
  return args.filter(word => !['--help', '-h', 'help'].includes(word))
}

/** To standard output when it was asked for, otherwise to standard error. */
function help(text: string, isWanted: boolean): number {
  return isWanted ? say(text) : complain(text, 2)
}

function say(text: string): number {
  console.log(text)
  return 0
}

function complain(text: string, exitCode: number): number {
  console.error(printable(text))
  return exitCode
}
