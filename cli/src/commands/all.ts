// All commands, by the file that holds them. What help says of each is here, so that it need not load what the commands do; a file is loaded
// when one of its commands is typed.

import type { Command, ListedCommand } from '../command.ts'

interface CommandFile {
  /** Name and summary of each of its commands. */
  readonly commands: Readonly<Record<string, string>>
  /** Whether they use a service over the network. The others run on its machine. */
  readonly usesNetwork?: true
  load(): Promise<readonly Command[]>
}

/** In the order of the help. Add a file here and its commands are found, parsed and explained. */
export const COMMAND_FILES: readonly CommandFile[] = [
  {
    commands: {
      quickstart:
        'Start the service, create an account with credit and transcribe a bundled recording of each language.',
    },
    load: async () => [(await import('./quickstart.ts')).quickstartCommand],
  },
  {
    commands: {
      serve: 'Run the service until it receives Ctrl-C or SIGTERM.',
    },
    load: async () => [(await import('./serve.ts')).serveCommand],
  },
  {
    commands: {
      transcribe: 'Turn recordings of any length and format, or live speech, into text.',
    },
    usesNetwork: true,
    load: async () => [(await import('./transcribe.ts')).transcribeCommand],
  },
  {
    commands: {
      models: 'List the models that a service offers.',
    },
    usesNetwork: true,
    load: async () => [(await import('./service-models.ts')).serviceModelsCommand],
  },
  {
    commands: {
      usage: 'Show the credit of your account and its last sessions.',
    },
    usesNetwork: true,
    load: async () => [(await import('./usage.ts')).usageCommand],
  },
  {
    commands: {
      'sessions cancel':
        'Cancel a session that was not opened. Its credit and slot are returned immediately.',
    },
    usesNetwork: true,
    load: async () => (await import('./sessions.ts')).sessionCommands,
  },
  {
    commands: {
      login: 'Save the address of a service and your API key for later commands.',
    },
    usesNetwork: true,
    load: async () => [(await import('./login.ts')).loginCommand],
  },
  {
    commands: {
      doctor: 'Check settings, service, certificate, key, models, database, formats and microphone.',
    },
    usesNetwork: true,
    load: async () => [(await import('./doctor.ts')).doctorCommand],
  },
  {
    commands: {
      conformance: 'Test a deployment against the interface, rule by rule.',
    },
    usesNetwork: true,
    load: async () => [(await import('./conformance.ts')).conformanceCommand],
  },
  {
    commands: {
      'accounts create': 'Create an account with its first API key, which is shown once.',
      'accounts list': 'List the accounts with their balances.',
      'accounts activate': 'Let an account use the service again.',
      'accounts deactivate':
        'Deactivate an account: its requests are refused and its open streams are closed.',
      'accounts set-concurrency': 'Set how many sessions an account may have open at once.',
    },
    load: async () => (await import('./accounts.ts')).accountCommands,
  },
  {
    commands: {
      'keys create': 'Create an API key, which is shown once.',
      'keys list': 'List the API keys of all accounts or of one. The keys themselves are not stored.',
      'keys rotate':
        'Replace an API key with a new one that has the same rules. Both work during the overlap, then the old one expires.',
      'keys revoke': 'Revoke an API key. It stops working immediately, and its open streams are closed.',
    },
    load: async () => (await import('./keys.ts')).keyCommands,
  },
  {
    commands: {
      'credits grant': 'Grant audio credit to an account.',
    },
    load: async () => (await import('./credits.ts')).creditCommands,
  },
  {
    commands: {
      'ledger verify':
        'Recompute every balance from the ledger and report any difference. Exit code 1 when there is one.',
    },
    load: async () => (await import('./ledger.ts')).ledgerCommands,
  },
  {
    commands: {
      nodes: 'List the nodes of the service: their status, load and last heartbeat.',
    },
    load: async () => [(await import('./nodes.ts')).nodesCommand],
  },
  {
    commands: {
      backup: 'Save everything in the database to a file, while the service runs.',
      restore: 'Load a backup into an empty database, then verify the ledger.',
      'migrate-database':
        'Copy the embedded database into an empty PostgreSQL database. The service must be stopped.',
    },
    load: async () => (await import('./backup.ts')).backupCommands,
  },
  {
    commands: {
      'operators create':
        'Add an operator and print a link to set a password. The link works once and expires in three days.',
      'operators list': 'List the operators.',
      'operators set-role':
        'Change an operator’s role: owner (everything), support (reads, and grants up to a limit) or auditor (reads).',
      'operators remove': 'Remove an operator and end their sign-ins. The last owner cannot be removed.',
      'operators reset-codes':
        'Turn off one-time codes for someone who lost their authenticator app, operator or not.',
      'operators end-sign-ins': 'Sign someone out everywhere, operator or not.',
    },
    load: async () => (await import('./operators.ts')).operatorCommands,
  },
  {
    commands: {
      'audit export':
        'Write the audit log to standard output, one JSON object per line, with the hashes that chain it.',
      'audit verify':
        'Recompute the chain of the audit log and report every entry that was changed or removed.',
    },
    load: async () => (await import('./audit.ts')).auditCommands,
  },
  {
    commands: {
      'secrets rotate':
        'Create a new secret in the data folder. What the previous secret signed stays valid until the next rotation.',
    },
    load: async () => (await import('./secrets.ts')).secretCommands,
  },
  {
    commands: {
      'models list': 'List the models and check all their files.',
      'models import':
        'Import a package or a public export of this model family: run it as a check, then serve it.',
    },
    load: async () => (await import('./models.ts')).modelCommands,
  },
  {
    commands: {
      completion: 'Print a completion script for bash, zsh or fish.',
    },
    load: async () => [(await import('./completion.ts')).makeCompletionCommand(LISTED, loadAllCommands)],
  },
]

export const LISTED: readonly ListedCommand[] = COMMAND_FILES.flatMap(({ commands, usesNetwork = false }) =>
  Object.entries(commands).map(([name, summary]) => ({ name, summary, usesNetwork })),
)

async function loadAllCommands(): Promise<readonly Command[]> {
  const commands = await Promise.all(COMMAND_FILES.map(file => file.load()))
  return commands.flat()
}

/** Loads the file of a listed command. */
export async function loadCommand(name: string): Promise<Command> {
  const file = COMMAND_FILES.find(({ commands }) => name in commands)!
  return (await file.load()).find(command => command.name === name)!
}
