// The password of the person who is signed in, asked for again.

import type { JSX } from 'preact'
import { Field } from './field.tsx'

interface PasswordFieldProps {
  value: string
  onText: (password: string) => void
  label?: string
  name?: string
}

export function PasswordField({
  label = 'Your password',
  name = 'password',
  ...text
}: PasswordFieldProps): JSX.Element {
  return (
    <Field label={label} name={name} type="password" autocomplete="current-password" required {...text} />
  )
}
