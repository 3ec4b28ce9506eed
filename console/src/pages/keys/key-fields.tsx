// The rules of a key as people type them: how much audio per month, and from which networks.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Field } from '../../ui/field.tsx'
import { parseAmount } from '../../ui/format.ts'

export interface KeyRules {
  /** null: no limit. undefined: the text is no amount. */
  readonly limitSeconds: number | null | undefined
  /** null: any address. */
  readonly addresses: readonly string[] | null
}

export interface KeyRulesForm extends KeyRules {
  readonly limit: string
  readonly setLimit: (text: string) => void
  readonly networks: string
  readonly setNetworks: (text: string) => void
}

export function useKeyRules(first?: {
  monthly_limit_seconds: number | null
  allowed_addresses: readonly string[] | null
}): KeyRulesForm {
  const [limit, setLimit] = useState(limitText(first?.monthly_limit_seconds ?? null))
  const [networks, setNetworks] = useState((first?.allowed_addresses ?? []).join(', '))
  const addresses = networks.split(/[\s,]+/).filter(text => text !== '')
  return {
    limit,
    setLimit,
    networks,
    setNetworks,
    limitSeconds: limit.trim() === '' ? null : parseAmount(limit),
    addresses: addresses.length === 0 ? null : addresses,
  }
}

/** As parseAmount reads it again. */
function limitText(seconds: number | null): string {
  if (seconds === null) return ''
  if (seconds % 3600 === 0) return `${seconds / 3600} h`
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

export function KeyRulesFields({ rules }: { rules: KeyRulesForm }): JSX.Element {
  return (
    <>
      <Field
        label="Monthly limit"
        hint="Optional. Audio per calendar month (UTC), for example 10 h."
        name="limit"
        autocomplete="off"
        value={rules.limit}
        wrong={rules.limitSeconds === undefined ? 'Enter an amount of time, such as 10 h.' : undefined}
        onText={rules.setLimit}
      />
      <Field
        label="Allowed addresses"
        hint="Optional. Addresses or networks, separated by commas: 203.0.113.7, 2001:db8::/32."
        name="networks"
        autocomplete="off"
        value={rules.networks}
        onText={rules.setNetworks}
      />
    </>
  )
}
