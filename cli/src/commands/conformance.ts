// sauti conformance: holds any deployment against the interface, rule by rule, as one of its customers.

import { readFileSync, writeFileSync } from 'node:fs'
import { type Command, EXIT, Failure, type Options, type Result, UsageError } from '../command.ts'
import { describeFinding, place, summarise, writeMarkdown } from '../conformance/report.ts'
import type { Rule } from '../conformance/rule.ts'
import { RULES } from '../conformance/rules/all.ts'
import { costOf, NotAdmitted, run } from '../conformance/run.ts'
import { readSpeech } from '../conformance/speech.ts'
import type { Target } from '../conformance/world.ts'
import { readServiceSettings, SERVICE_OPTIONS } from '../service/settings.ts'

const PATIENCE_MS = 20_000

export const conformanceCommand: Command = {
  name: 'conformance',
  options: {
    url: SERVICE_OPTIONS.url,
    key: SERVICE_OPTIONS['api-key'],
    ca: SERVICE_OPTIONS.ca,
    only: {
      value: 'RULES',
      description: 'Run only rules whose IDs begin with one of these, separated by commas.',
    },
    slow: { description: 'Also run rules that take more than a minute: expiry, idle time, pings.' },
    list: { description: 'List the rules without contacting a service.' },
    report: { value: 'FILE', description: 'Also write the results to a Markdown file.' },
  },
  examples: [
    'sauti conformance --url https://sauti.example',
    'sauti conformance --only credential,close --slow',
    'sauti conformance --list',
  ],
  run: conform,
}

async function conform(options: Options): Promise<Result> {
  const rules = choose(options.text('only'))
  if (options.flag('list')) return listRules(rules)
  const slow = options.flag('slow')
  const target = readTarget(options)
  const { sessions, seconds } = costOf(rules, slow)
  console.error(
    `${rules.length} rules at ${target.url}: up to ${sessions} sessions and ${seconds} seconds of the key's credit.`,
  )
  const done = await run(target, { rules, slow, tell: line => console.error(line) }).catch(explain)
  const file = options.text('report')
  if (file !== undefined) writeFileSync(file, writeMarkdown(done, { url: target.url, date: new Date() }))
  const isBroken = done.findings.some(({ verdict }) => verdict === 'broken')
  return {
    json: { url: target.url, ...done },
    text: [...done.findings.map(describeFinding), summarise(done)].join('\n'),
    exitCode: isBroken ? EXIT.failed : 0,
  }
}

function explain(error: unknown): never {
  if (error instanceof NotAdmitted) throw new Failure(error.message, { cause: error, exitCode: EXIT.refused })
  throw error
}

function choose(only: string | undefined): readonly Rule[] {
  if (only === undefined) return RULES
  const prefixes = only.split(',').map(prefix => prefix.trim())
  const rules = RULES.filter(({ id }) => prefixes.some(prefix => id.startsWith(prefix)))
  if (rules.length === 0) throw new UsageError(`no rule begins with "${only}"; see sauti conformance --list`)
  return rules
}

function listRules(rules: readonly Rule[]): Result {
  const listed = rules.map(({ id, section, text, scene }) => ({
    id,
    section,
    text,
    slow: scene.slow === true,
  }))
  const lines = listed.map(({ id, section, text }) => `${place(section)}  ${id}: ${text}`)
  return { json: { rules: listed }, text: lines.join('\n') }
}

function readTarget(options: Options): Target {
  const named: Options = { ...options, text: name => options.text(name === 'api-key' ? 'key' : name) }
  const { url, apiKey, authorityFile } = readServiceSettings(named, process.env)
  if (apiKey === undefined)
    throw new Failure('a key is needed: --key, SAUTI_API_KEY or sauti login', { exitCode: EXIT.refused })
  const speech = readSpeech()
  const ca = authorityFile === undefined ? {} : { ca: readAuthority(authorityFile) }
  return { url, key: apiKey, ...ca, patienceMs: PATIENCE_MS, speech }
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new Failure(`${file}: ${(cause as Error).message}`, { cause, exitCode: EXIT.badInput })
  }
}
