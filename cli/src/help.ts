// Help: all commands, one group of them, or one.

import { LANGUAGES_IN_WORDS } from '@sauti/protocol/models'
import type { Command, ListedCommand, OptionSpec } from './command.ts'
import { JSON_OPTION } from './options.ts'

export function describeAll(commands: readonly ListedCommand[]): string {
  return `sauti: streaming speech recognition for ${LANGUAGES_IN_WORDS}

Usage: sauti <command> [options]

Use a service over the network:

${listCommands(commands.filter(({ usesNetwork }) => usesNetwork))}

Run a service on this machine. Most of these commands work on its database, whether it is running or not:

${listCommands(commands.filter(({ usesNetwork }) => !usesNetwork))}

Run sauti <command> --help for details. Settings come from SAUTI_* variables.

Exit codes: 0 success, 1 failure, 2 wrong usage, 3 key or account refused, 4 no credit left, 5 service unreachable or
too busy, 6 a file could not be read.`
}

export function describeGroup(commands: readonly ListedCommand[]): string {
  return `${listCommands(commands)}\n\nRun sauti <command> --help for details.`
}

export function describeCommand(
  { name, options, positional, list, examples }: Command,
  summary: string,
): string {
  const rows = Object.entries({ ...options, json: JSON_OPTION }).map(([option, spec]) => [
    `  --${option}${spec.value ? ` ${spec.value}` : ''}`,
    describeOption(spec),
  ])
  const bare = list ? ` ${list}` : positional ? ` [${options[positional]?.value}]` : ''
  return [
    summary,
    '',
    `Usage: sauti ${name}${bare} [options]`,
    '',
    alignColumns(rows),
    '',
    ...(examples.length > 0 ? ['Examples:', ...examples.map(example => `  ${example}`)] : []),
  ]
    .join('\n')
    .trimEnd()
}

function describeOption({ description, required }: OptionSpec): string {
  return required ? `${description} Required.` : description
}

function listCommands(commands: readonly ListedCommand[]): string {
  return alignColumns(commands.map(({ name, summary }) => [`  ${name}`, summary]))
}

/** Rows as text with columns of equal width; also the tables that commands print. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  return rows
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
