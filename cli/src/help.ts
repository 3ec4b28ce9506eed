// Help: all commands, one group of them, or one.

import type { Command, OptionSpec } from './command.ts'
import { JSON_OPTION } from './options.ts'

export function describeAll(commands: readonly Command[]): string {
  return `sauti: streaming speech recognition for Kikuyu and Dholuo

Usage: sauti <command> [options]

${listCommands(commands)}

sauti <command> --help explains one. Settings come from SAUTI_* variables; the commands use the same database as the
service, whether it runs or not.`
}

export function describeGroup(commands: readonly Command[]): string {
  return `${listCommands(commands)}\n\nsauti <command> --help explains one.`
}

export function describeCommand({ name, summary, options, positional, examples }: Command): string {
  const rows = Object.entries({ ...options, json: JSON_OPTION }).map(([option, spec]) => [
    `  --${option}${spec.value ? ` ${spec.value}` : ''}`,
    describeOption(spec),
  ])
  const bare = positional ? ` [${options[positional]?.value}]` : ''
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

function listCommands(commands: readonly Command[]): string {
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
