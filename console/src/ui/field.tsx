// A labelled input with its hint and its error, tied together for screen readers.

import type { ComponentProps, JSX } from 'preact'
import { useId } from 'preact/hooks'

/** What an input and a textarea have in common here. */
interface TextProps {
  name: string
  autocomplete?: string
  required?: boolean
  minLength?: number
  maxLength?: number
  value?: string
  disabled?: boolean
}

interface FieldProps extends TextProps {
  label: string
  hint?: string
  wrong?: string | undefined
  type?: 'text' | 'email' | 'password' | 'number' | 'date'
  min?: number
  max?: number
  /** More than one line of text. */
  rows?: number
  onText: (text: string) => void
}

export function Field({
  label,
  hint,
  wrong,
  rows,
  type,
  min,
  max,
  onText,
  ...text
}: FieldProps): JSX.Element {
  const id = useId()
  const described = [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(' ')
  const attributes = {
    ...text,
    id,
    class: 'input',
    'aria-invalid': wrong !== undefined,
    ...(described !== '' && { 'aria-describedby': described }),
    onInput: (event: Event) => onText((event.target as HTMLInputElement).value),
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        <input {...({ ...attributes, type, min, max } as ComponentProps<'input'>)} />
      ) : (
        <textarea {...attributes} rows={rows} />
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {wrong !== undefined && (
        <p class="wrong" id={`${id}-wrong`}>
          {wrong}
        </p>
      )}
    </div>
  )
}

interface ChoiceProps<Value extends string> {
  label: string
  value: Value
  /** The hint of the chosen one is shown where the field has none of its own. */
  options: readonly { value: Value; label: string; hint?: string }[]
  onValue: (value: Value) => void
  hint?: string
  disabled?: boolean
}

export function Select<Value extends string>(props: ChoiceProps<Value>): JSX.Element {
  const id = useId()
  const hint = props.hint ?? props.options.find(option => option.value === props.value)?.hint
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select
        id={id}
        class="input"
        value={props.value}
        disabled={props.disabled ?? false}
        onChange={event => props.onValue((event.target as HTMLSelectElement).value as Value)}
        {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })}
      >
        {props.options.map(option => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}
