// Usage in a range of days of the reader's time zone: by day, by language and by key.

import type { UsageReport, UsageShare } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useLoad, useRefresh } from '../../app/use-load.ts'
import { Chips } from '../../ui/chips.tsx'
import { type Dates, lastDays, problemOf } from '../../ui/dates.ts'
import { DayChart } from '../../ui/day-chart.tsx'
import { Field } from '../../ui/field.tsx'
import { formatDuration, languageOf } from '../../ui/format.ts'
import { Shown } from '../../ui/notice.tsx'
import { Table } from '../../ui/table.tsx'

const CUSTOM = 'custom'
const RANGES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: CUSTOM, label: 'Dates' },
] as const
type Range = (typeof RANGES)[number]['value']
const REFRESH_MS = 15_000

export function UsageCard(): JSX.Element {
  const [range, setRange] = useState<Range>('30')
  const [dates, setDates] = useState(() => lastDays(30))
  const choose = (chosen: Range) => {
    setRange(chosen)
    if (chosen !== CUSTOM) setDates(lastDays(Number(chosen)))
  }
  return (
    <section class="card" aria-labelledby="usage-title">
      <div class="card-head">
        <h2 id="usage-title">Audio per day</h2>
        <Chips<Range> legend="Range" value={range} options={RANGES} onValue={choose} />
      </div>
      {range === CUSTOM && <DateFields dates={dates} onDates={setDates} />}
      {problemOf(dates) === undefined && <Report dates={dates} />}
    </section>
  )
}

function Report({ dates }: { dates: Dates }): JSX.Element {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const query = new URLSearchParams({ ...dates, zone })
  const report = useLoad<UsageReport>(`/usage/report?${query}`)
  useRefresh(report.reload, REFRESH_MS)
  return (
    <Shown of={report} skeleton="chart">
      {data => (
        <>
          <DayChart days={data.days} zone={data.zone} />
          <Shares report={data} />
        </>
      )}
    </Shown>
  )
}

interface DateFieldsProps {
  dates: Dates
  onDates: (dates: Dates) => void
}

function DateFields({ dates, onDates }: DateFieldsProps): JSX.Element {
  const set = (name: keyof Dates) => (value: string) => onDates({ ...dates, [name]: value })
  return (
    <div class="filters">
      <Field label="From" name="usage-from" type="date" value={dates.from} onText={set('from')} />
      <Field
        label="To"
        name="usage-to"
        type="date"
        value={dates.to}
        onText={set('to')}
        wrong={problemOf(dates)}
      />
    </div>
  )
}

function Shares({ report }: { report: UsageReport }): JSX.Element | null {
  if (report.by_model.length === 0) return null
  return (
    <div class="split shares">
      <ShareTable
        title="By language"
        rows={report.by_model.map(share => ({ ...share, name: languageOf(share.model) }))}
      />
      <ShareTable
        title="By key"
        rows={report.by_key.map(share => ({
          ...share,
          name: share.key === null ? 'Playground' : share.key.name || 'Unnamed key',
        }))}
      />
    </div>
  )
}

interface ShareTableProps {
  title: string
  rows: readonly (UsageShare & { name: string })[]
}

function ShareTable({ title, rows }: ShareTableProps): JSX.Element {
  return (
    <div>
      <h3>{title}</h3>
      <Table heads={['Name', { text: 'Sessions', right: true }, { text: 'Billed', right: true }]}>
        {rows.map(row => (
          <tr key={row.name}>
            <td class="head">{row.name}</td>
            <td data-label="Sessions" class="number right">
              {row.sessions}
            </td>
            <td data-label="Billed" class="number right">
              {formatDuration(row.billable_ms)}
            </td>
          </tr>
        ))}
      </Table>
    </div>
  )
}
