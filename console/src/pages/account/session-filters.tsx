// The filters of a list of sessions, and what they mean in an address.

import { MODELS } from '@sauti/protocol/models'
import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Field, Select } from '../../ui/field.tsx'

export interface SessionFilters {
  readonly from: string
  readonly to: string
  readonly key: string
  readonly model: string
  readonly status: string
}

const NAMES = ['from', 'to', 'key', 'model', 'status'] as const

/** Kept in the address, so that reloading, going back and sharing the page keep them. */
export function useFilters(): [SessionFilters, (filters: SessionFilters) => void] {
  const [filters, setFilters] = useState(() => readFilters(location.search))
  const change = (chosen: SessionFilters) => {
    setFilters(chosen)
    const address = new URL(location.href)
    for (const name of NAMES) {
      if (chosen[name] === '') address.searchParams.delete(name)
      else address.searchParams.set(name, chosen[name])
    }
    history.replaceState(null, '', address)
  }
  return [filters, change]
}

function readFilters(search: string): SessionFilters {
  const query = new URLSearchParams(search)
  const [from, to, key, model, status] = NAMES.map(name => query.get(name) ?? '') as [
    string,
    string,
    string,
    string,
    string,
  ]
  return { from, to, key, model, status }
}

const DAY_MS = 86_400_000
const ANY = { value: '', label: 'All' }
const MODEL_OPTIONS = [ANY, ...MODELS.map(({ id, language }) => ({ value: id as string, label: language }))]
const STATUS_OPTIONS = [
  ANY,
  { value: 'reserved', label: 'Reserved' },
  { value: 'active', label: 'Active' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
  { value: 'expired', label: 'Expired' },
]

interface Props {
  filters: SessionFilters
  onChange: (filters: SessionFilters) => void
  /** Of the account; without them the key is not asked for. */
  keys?: readonly { id: string; name: string }[]
  children?: ComponentChildren
}

export function SessionFilterBar({ filters, onChange, keys, children }: Props): JSX.Element {
  const set = (name: keyof SessionFilters) => (value: string) => onChange({ ...filters, [name]: value })
  const keyOptions = [
    ANY,
    { value: 'playground', label: 'Playground' },
    ...(keys ?? []).map(({ id, name }) => ({ value: id, label: name || 'Unnamed' })),
  ]
  return (
    <search class="filters" aria-label="Filter sessions">
      <Field label="From" name="from" type="date" value={filters.from} onText={set('from')} />
      <Field label="To" name="to" type="date" value={filters.to} onText={set('to')} />
      {keys !== undefined && (
        <Select label="Key" value={filters.key} options={keyOptions} onValue={set('key')} />
      )}
      <Select label="Model" value={filters.model} options={MODEL_OPTIONS} onValue={set('model')} />
      <Select label="Status" value={filters.status} options={STATUS_OPTIONS} onValue={set('status')} />
      {children}
    </search>
  )
}

/** Dates are days of the reader's own clock; the last one is included. */
export function toQuery(filters: SessionFilters): string {
  const query = new URLSearchParams()
  if (filters.from !== '') query.set('from', midnight(filters.from, 0))
  if (filters.to !== '') query.set('to', midnight(filters.to, DAY_MS))
  for (const name of ['key', 'model', 'status'] as const)
    if (filters[name] !== '') query.set(name, filters[name])
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

function midnight(date: string, laterMs: number): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  const start = new Date(year, month - 1, day + (laterMs > 0 ? 1 : 0))
  return start.toISOString()
}
