// sauti completion: a script that completes the commands and their options in a shell, made from the same table as the help.

import { type Command, type ListedCommand, type Options, type Result, UsageError } from '../command.ts'
import { JSON_OPTION } from '../options.ts'

const SHELLS: Record<string, (commands: readonly DescribedCommand[]) => string> = { bash, zsh, fish }

type DescribedCommand = Command & Pick<ListedCommand, 'summary'>

export function makeCompletionCommand(
  listed: readonly ListedCommand[],
  loadCommands: () => Promise<readonly Command[]>,
): Command {
  return {
    name: 'completion',
    options: { shell: { value: 'SHELL', description: 'bash, zsh or fish.', required: true } },
    positional: 'shell',
    examples: [
      'sauti completion bash > ~/.local/share/bash-completion/completions/sauti',
      'sauti completion zsh > ~/.zfunc/_sauti',
      'sauti completion fish > ~/.config/fish/completions/sauti.fish',
    ],
    run: async options => {
      const summaries = new Map(listed.map(({ name, summary }) => [name, summary]))
      const commands = await loadCommands()
      return complete(
        options,
        commands.map(command => ({ ...command, summary: summaries.get(command.name)! })),
      )
    },
  }
}

async function complete(options: Options, commands: readonly DescribedCommand[]): Promise<Result> {
  const shell = options.required('shell')
  const write = SHELLS[shell]
  if (!write)
    throw new UsageError(`there is a completion for ${Object.keys(SHELLS).join(', ')}, not for "${shell}"`)
  const script = write(commands).trimEnd()
  return { json: { shell, script }, text: script }
}

interface Group {
  readonly word: string
  /** The second words of a group; empty for a command of one word. */
  readonly seconds: readonly string[]
}

function groupsOf(commands: readonly Command[]): Group[] {
  const words = [...new Set(commands.map(({ name }) => name.split(' ')[0]!))]
  return words.map(word => ({
    word,
    seconds: commands.flatMap(({ name }) => (name.startsWith(`${word} `) ? [name.split(' ')[1]!] : [])),
  }))
}

function optionNames({ options }: Command): string[] {
  return Object.keys({ ...options, json: JSON_OPTION, help: undefined }).map(name => `--${name}`)
}

function bash(commands: readonly Command[]): string {
  const groups = groupsOf(commands)
  // A word can be a command and the first word of others: "models" and "models list".
  const whole = groups.map(({ word, seconds }) => {
    const own = commands.filter(({ name }) => name === word).flatMap(optionNames)
    return `    "${word}") words="${[...seconds, ...own].join(' ')}" ;;`
  })
  const seconds = commands.filter(({ name }) => name.includes(' '))
  const cases = [
    `    "") words="${groups.map(group => group.word).join(' ')}" ;;`,
    ...whole,
    ...seconds.map(command => `    "${command.name}") words="${optionNames(command).join(' ')}" ;;`),
  ]
  return `# bash completion for sauti
_sauti() {
  local word command="" words="" current="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] && break
    case "$command" in ${bashStops(commands)}) break ;; esac
    command="\${command:+$command }$word"
  done
  case "$command" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ $current != -* && "$command" == transcribe ]] && COMPREPLY=($(compgen -f -- "$current"))
  return 0
}
complete -o filenames -o bashdefault -F _sauti sauti
`
}

/** Whole commands: the words that follow them are arguments. */
function bashStops(commands: readonly Command[]): string {
  const isGroup = (word: string) => commands.some(({ name }) => name.startsWith(`${word} `))
  return commands.flatMap(({ name }) => (isGroup(name) ? [] : [`"${name}"`])).join('|')
}

function zsh(commands: readonly DescribedCommand[]): string {
  const firsts = groupsOf(commands).map(({ word }) => `    '${word}:${quote(summaryOf(commands, word))}'`)
  const cases = groupsOf(commands).map(({ word, seconds }) => {
    const own = commands.find(({ name }) => name === word)
    const ownOptions = own ? `_arguments ${zshOptions(own)}` : 'return'
    if (seconds.length === 0) return `    ${word}) ${ownOptions} ;;`
    const inner = seconds.map(second => {
      return `        ${second}) _arguments ${zshOptions(find(commands, `${word} ${second}`))} ;;`
    })
    return `    ${word})
      if (( CURRENT == 3 )) && [[ $words[3] != -* ]]; then _values command ${seconds.join(' ')}; return; fi
      case $words[3] in
${inner.join('\n')}
        *) ${ownOptions} ;;
      esac ;;`
  })
  return `#compdef sauti
_sauti() {
  local -a commands=(
${firsts.join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case $words[2] in
${cases.join('\n')}
  esac
}
_sauti "$@"
`
}

function zshOptions({ options, list }: Command): string {
  const specs = Object.entries({ ...options, json: JSON_OPTION }).map(([name, { value, description }]) => {
    const argument = value ? `:${value}:${value.includes('FILE') ? '_files' : ''}` : ''
    return `'--${name}[${quote(description).replaceAll(/[[\]:]/g, ' ')}]${argument}'`
  })
  return [...specs, ...(list ? ["'*:file:_files'"] : [])].join(' ')
}

function fish(commands: readonly DescribedCommand[]): string {
  const words = groupsOf(commands)
    .map(group => group.word)
    .join(' ')
  const lines = groupsOf(commands).flatMap(({ word, seconds }) => [
    `complete -c sauti -n "not __fish_seen_subcommand_from ${words}" -f -a ${word} -d '${quote(summaryOf(commands, word))}'`,
    ...(seconds.length > 0
      ? [`complete -c sauti -n "__fish_seen_subcommand_from ${word}" -f -a "${seconds.join(' ')}"`]
      : []),
  ])
  const options = commands.flatMap(command => {
    const seen = command.name
      .split(' ')
      .map(word => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')
    return Object.entries({ ...command.options, json: JSON_OPTION }).map(([name, { value, description }]) => {
      return `complete -c sauti -n "${seen}" -l ${name}${value ? ' -r' : ''} -d '${quote(description)}'`
    })
  })
  return ['# fish completion for sauti', ...lines, ...options, ''].join('\n')
}

function find(commands: readonly Command[], name: string): Command {
  return commands.find(command => command.name === name)!
}

function summaryOf(commands: readonly DescribedCommand[], word: string): string {
  const own = commands.find(({ name }) => name === word)
  return own?.summary ?? `${word} ...`
}

/** For a shell's single quotes. */
function quote(text: string): string {
  return text.replaceAll("'", '’')
}
