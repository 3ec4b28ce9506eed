// One of a few, chosen with one touch.

import type { JSX } from 'preact'

interface Props<Value extends string> {
  legend: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onValue: (value: Value) => void
  disabled?: boolean
}

export function Chips<Value extends string>(props: Props<Value>): JSX.Element {
  return (
    <fieldset class="chips" disabled={props.disabled ?? false}>
      <legend class="visually-hidden">{props.legend}</legend>
      {props.options.map(({ value, label }) => (
        <button
          key={value}
          type="button"
          class="chip"
          aria-pressed={value === props.value}
          onClick={() => props.onValue(value)}
        >
          {label}
        </button>
      ))}
    </fieldset>
  )
}
