// sauti doctor: looks at everything that the command and the service need, and says how to fix what is wrong.

import { type Command, EXIT, type Options, type Result } from '../command.ts'
import { CHECKS, type Check, type Finding } from '../doctor/checks.ts'
import { SERVICE_OPTIONS } from '../service/settings.ts'

export const doctorCommand: Command = {
  name: 'doctor',
  options: SERVICE_OPTIONS,
  examples: ['sauti doctor', 'sauti doctor --url https://sauti.example --json'],
  run: examine,
}

const MARKS: Record<Finding['state'], string> = { good: 'ok  ', bad: 'FAIL', skipped: '-   ' }

async function examine(options: Options): Promise<Result> {
  const findings: (Finding & { readonly check: string })[] = []
  for (const check of CHECKS) findings.push({ check: check.name, ...(await look(check, options)) })
  const problems = findings.filter(({ state }) => state === 'bad').length
  return {
    json: { findings },
    text: [...findings.map(describe), '', sumUp(problems)].join('\n'),
    exitCode: problems === 0 ? 0 : EXIT.failed,
  }
}

/** A check that cannot be made is a finding, too. */
async function look(check: Check, options: Options): Promise<Finding> {
  try {
    return await check.look(options)
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    return { state: 'bad', found, fix: 'see the message' }
  }
}

function describe({ check, state, found, fix }: Finding & { readonly check: string }): string {
  const line = `${MARKS[state]} ${check}: ${found}`
  return fix ? `${line}\n     Fix: ${fix}` : line
}

function sumUp(problems: number): string {
  if (problems === 0) return 'No problems found.'
  return problems === 1 ? '1 problem found.' : `${problems} problems found.`
}
