// All commands, by the file that holds them. A file is loaded when one of its words is typed: no command waits for what only others need.

import type { Command } from '../command.ts'

interface CommandFile {
  /** The first words of its commands. */
  readonly words: readonly string[]
  load(): Promise<readonly Command[]>
}

/** In the order of the help. Add a file here and its commands are found, parsed and explained. */
export const COMMAND_FILES: readonly CommandFile[] = [
  { words: ['quickstart'], load: async () => [(await import('./quickstart.ts')).quickstartCommand] },
  { words: ['serve'], load: async () => [(await import('./serve.ts')).serveCommand] },
  { words: ['transcribe'], load: async () => [(await import('./transcribe.ts')).transcribeCommand] },
  { words: ['models'], load: async () => [(await import('./service-models.ts')).serviceModelsCommand] },
  { words: ['usage'], load: async () => [(await import('./usage.ts')).usageCommand] },
  { words: ['sessions'], load: async () => (await import('./sessions.ts')).sessionCommands },
  { words: ['login'], load: async () => [(await import('./login.ts')).loginCommand] },
  { words: ['doctor'], load: async () => [(await import('./doctor.ts')).doctorCommand] },
  { words: ['conformance'], load: async () => [(await import('./conformance.ts')).conformanceCommand] },
  { words: ['accounts'], load: async () => (await import('./accounts.ts')).accountCommands },
  { words: ['keys'], load: async () => (await import('./keys.ts')).keyCommands },
  { words: ['credits'], load: async () => (await import('./credits.ts')).creditCommands },
  { words: ['ledger'], load: async () => (await import('./ledger.ts')).ledgerCommands },
  { words: ['nodes'], load: async () => [(await import('./nodes.ts')).nodesCommand] },
  {
    words: ['backup', 'restore', 'migrate-database'],
    load: async () => (await import('./backup.ts')).backupCommands,
  },
  { words: ['operators'], load: async () => (await import('./operators.ts')).operatorCommands },
  { words: ['audit'], load: async () => (await import('./audit.ts')).auditCommands },
  { words: ['secrets'], load: async () => (await import('./secrets.ts')).secretCommands },
  { words: ['models'], load: async () => (await import('./models.ts')).modelCommands },
  {
    words: ['completion'],
    load: async () => [(await import('./completion.ts')).makeCompletionCommand(loadAllCommands)],
  },
]

export const loadAllCommands = (): Promise<readonly Command[]> => load(COMMAND_FILES)

/** Those that begin with the word; none where there is no such command. */
export function loadCommands(word: string): Promise<readonly Command[]> {
  return load(COMMAND_FILES.filter(({ words }) => words.includes(word)))
}

async function load(files: readonly CommandFile[]): Promise<readonly Command[]> {
  const commands = await Promise.all(files.map(file => file.load()))
  return commands.flat()
}
