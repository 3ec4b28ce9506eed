// docs/proof/mutation.md: how many changes the tests noticed in each file and function, and why the others do not matter.

import { EXPLAINED } from './explained.mjs'

/** With the change no test file can even be loaded, which fails any run of the tests. Stryker calls that survived. */
function stopsLoading({ status, testsCompleted }) {
  return status === 'Survived' && testsCompleted === 0
}

function isNoticed(mutant) {
  return mutant.status === 'Killed' || mutant.status === 'Timeout' || stopsLoading(mutant)
}

function isMissed(mutant) {
  return ['Survived', 'NoCoverage'].includes(mutant.status) && !isNoticed(mutant)
}

/** `report`: what Stryker's JSON reporter writes. */
export function summariseStryker({ files }) {
  const rows = Object.entries(files).map(([file, { mutants }]) => ({
    name: file,
    killed: mutants.filter(isNoticed).length,
    survived: mutants.filter(isMissed).length,
  }))
  const survivors = Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(isMissed)
      .map(mutant =>
        describe(file, mutant.location.start.line, textOf(source, mutant.location), mutant.replacement),
      ),
  )
  const all = Object.values(files).flatMap(({ mutants }) => mutants)
  const endless = all.filter(({ status }) => status === 'Timeout').length
  const note = `Among those that were noticed, ${all.filter(stopsLoading).length} keep the tests from being loaded and ${endless} from ending.`
  return { ...summarise('Pure core', rows, survivors), note }
}

/** `results`: what server/test/mutation/run.ts writes. */
export function summariseSql(results) {
  const names = [...new Set(results.map(result => result.function))]
  const count = (name, outcome) =>
    results.filter(result => result.function === name && result.outcome === outcome).length
  const rows = names.map(name => ({ name, killed: count(name, 'killed'), survived: count(name, 'survived') }))
  const survivors = results
    .filter(({ outcome }) => outcome === 'survived')
    .map(({ function: name, line, change }) => describe(name, line, ...change.split(' → ')))
  return summarise('Functions of the ledger', rows, survivors)
}

function summarise(name, rows, survivors) {
  const killed = rows.reduce((sum, row) => sum + row.killed, 0)
  const counted = killed + survivors.length
  rows.sort((one, other) => one.name.localeCompare(other.name))
  return { name, rows, survivors, killed, counted, percent: percentOf(killed, counted) }
}

function describe(place, line, text, replacement) {
  const change = `${squeeze(text)} → ${squeeze(replacement)}`
  const why = EXPLAINED.find(one => place.endsWith(one.place) && change.includes(one.change))?.why
  return { place: `${place}:${line}`, change, why }
}

function textOf(source, { start, end }) {
  const lines = source.split('\n').slice(start.line - 1, end.line)
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1)
  lines[0] = lines[0].slice(start.column - 1)
  return lines.join(' ')
}

function squeeze(text) {
  return text.trim().replace(/\s+/g, ' ').slice(0, 90)
}

function percentOf(part, whole) {
  return Math.round((1000 * part) / whole) / 10
}

/** `began`: which run it is about. */
export function writePage(began, parts) {
  return `${[
    '# Mutation testing',
    '',
    '`npm run mutation` writes this page: it changes the code in small ways, one at a time, and counts which changes a test notices. It fails below',
    '90 %, where a change that nobody noticed has no explanation in `mutation/explained.mjs`, and where a part has no result: a test file that could',
    'not be loaded, for example. The result of a part is kept until a file changes that it depends on, so a run that was stopped goes on where it',
    'stopped, and this page is about one state of the code.',
    '',
    'The pure core (audio, messages, gate, meter, endpointing, states, queues, journal, keys, credentials, and the three wires) is changed by Stryker',
    'and asked by its unit tests. The functions that move credit are changed by',
    '[a small mutator of our own](../../server/test/mutation/mutants.ts) and asked by',
    '[the rules of the ledger](../../server/test/service/ledger/rules.test.ts) on the embedded database; a change that the database does not take',
    'as SQL is not counted. Texts and constants are changed like everything else.',
    '',
    began,
    ...parts.flatMap(writePart),
    '',
    '## What it does not show',
    '',
    '- Row locks are not changed: only transactions at the same moment can notice them. `server/test/service/nodes/races.test.ts` does.',
    '- Where a session is placed (`take_room`, `nodes_with_room`, `explain_no_room`) moves no credit; `server/test/service/nodes` tests it.',
  ].join('\n')}\n`
}

function writePart({ name, rows, survivors, killed, counted, percent, note }) {
  return [
    '',
    `## ${name}: ${killed} of ${counted} noticed, ${percent} %`,
    '',
    '| where | noticed | not noticed | % |',
    '|---|--:|--:|--:|',
    ...rows.map(
      row =>
        `| \`${row.name}\` | ${row.killed} | ${row.survived} | ${percentOf(row.killed, row.killed + row.survived)} |`,
    ),
    ...(note === undefined ? [] : ['', note]),
    '',
    'Not noticed:',
    '',
    '| place | change | why nobody notices |',
    '|---|---|---|',
    ...survivors.map(({ place, change, why }) => `| \`${place}\` | ${quote(change)} | ${why ?? ''} |`),
  ]
}

function quote(code) {
  return `\`\` ${code.replaceAll('|', '\\|').replaceAll('``', '` `')} \`\``
}
