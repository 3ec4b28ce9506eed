// A run as lines for people, and as a page in Markdown.

import type { Finding, Run, Verdict } from './run.ts'

const MARKS: Readonly<Record<Verdict, string>> = { kept: 'ok  ', broken: 'FAIL', 'not seen': '-   ' }

export function describeFinding({ id, section, text, verdict, found }: Finding): string {
  const line = `${MARKS[verdict]} ${place(section)}  ${id}: ${text}`
  return found === undefined ? line : `${line}\n       ${found}`
}

export function summarise({ findings, spent }: Run): string {
  const count = (verdict: Verdict) => findings.filter(finding => finding.verdict === verdict).length
  return (
    `${findings.length} rules: ${count('kept')} kept, ${count('broken')} broken, ${count('not seen')} not seen. ` +
    `Used: ${spent.sessions} sessions, ${spent.seconds} seconds of audio.`
  )
}

/** `spec 4.2`, or where else the rule stands. */
export function place(section: string): string {
  return /^\d/.test(section) ? `spec ${section}` : section
}

export function writeMarkdown(run: Run, { url, date }: { url: string; date: Date }): string {
  const rows = run.findings.map(
    ({ id, section, text, verdict, found }) =>
      `| ${verdict} | ${place(section)} | \`${id}\` | ${cell(found === undefined ? text : `${text} (${found})`)} |`,
  )
  return [
    `\`sauti conformance --url ${url}\`, ${date.toISOString().slice(0, 10)}.`,
    '',
    summarise(run),
    '',
    '| result | section | rule | text |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
