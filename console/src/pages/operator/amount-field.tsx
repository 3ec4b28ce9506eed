// An amount of audio time as people type it: 90, 15 min, 2 h.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Field } from '../../ui/field.tsx'
import { formatDuration, parseAmount } from '../../ui/format.ts'

export interface Amount {
  readonly text: string
  readonly setText: (text: string) => void
  /** undefined while the text is no amount. */
  readonly seconds: number | undefined
}

export function useAmount(initial: string): Amount {
  const [text, setText] = useState(initial)
  return { text, setText, seconds: parseAmount(text) }
}

interface Props {
  label: string
  amount: Amount
  /** Say what is wrong; not while somebody is still typing for the first time. */
  complain: boolean
}

export function AmountField({ label, amount, complain }: Props): JSX.Element {
  const understood = amount.seconds === undefined ? undefined : formatDuration(amount.seconds * 1000)
  // What was typed needs no repetition.
  const hint =
    understood === undefined || understood === amount.text.trim()
      ? 'For example: 90 s, 15 min or 2 h.'
      : `${understood} of audio`
  return (
    <Field
      label={label}
      name="amount"
      autocomplete="off"
      required
      value={amount.text}
      hint={hint}
      wrong={
        complain && amount.seconds === undefined ? 'Enter an amount of time, such as 15 min.' : undefined
      }
      onText={amount.setText}
    />
  )
}
