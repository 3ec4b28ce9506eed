// Make an account with its first person, or another operator.

import type { Invitation, OperatorRole } from '@sauti/protocol/console'
import { STARTING_CREDIT_SECONDS } from '@sauti/protocol/console-rules'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { Dialog, DialogEnd } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { AmountField, useAmount } from './amount-field.tsx'

export const ROLES = [
  { value: 'support', label: 'Support', hint: 'Sees everything and grants limited credit.' },
  { value: 'auditor', label: 'Auditor', hint: 'Sees everything and changes nothing.' },
  { value: 'owner', label: 'Owner', hint: 'Can do everything.' },
] as const

interface Props {
  onClose: () => void
  onInvited: (invitation: Invitation) => void
}

export function CreateAccount({ onClose, onInvited }: Props): JSX.Element {
  const [form, setForm] = useState({ name: '', person: '', email: '' })
  const set = (name: keyof typeof form) => (text: string) => setForm(before => ({ ...before, [name]: text }))
  const amount = useAmount(`${STARTING_CREDIT_SECONDS / 60} min`)
  const [touched, setTouched] = useState(false)
  const submission = useSubmit(async () => {
    setTouched(true)
    if (amount.seconds === undefined) return
    onInvited(await post<Invitation>('/operator/accounts', { ...form, credit_seconds: amount.seconds }))
  })
  return (
    <Dialog title="Create an account" onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        <Field
          label="Account name"
          name="account"
          required
          maxLength={120}
          autocomplete="off"
          onText={set('name')}
        />
        <Field
          label="Contact name"
          name="person"
          required
          maxLength={100}
          autocomplete="off"
          onText={set('person')}
        />
        <Field
          label="Email"
          name="person-email"
          type="email"
          required
          autocomplete="off"
          onText={set('email')}
        />
        <AmountField label="Starting credit" amount={amount} complain={touched} />
        <DialogEnd
          action="Create account"
          busy={submission.busy}
          error={submission.error}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}

export function InviteOperator({ onClose, onInvited }: Props): JSX.Element {
  const [form, setForm] = useState({ name: '', email: '' })
  const [role, setRole] = useState<OperatorRole>('support')
  const set = (name: keyof typeof form) => (text: string) => setForm(before => ({ ...before, [name]: text }))
  const submission = useSubmit(async () =>
    onInvited(await post<Invitation>('/operator/operators', { ...form, role })),
  )
  return (
    <Dialog title="Invite an operator" onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        <Field label="Name" name="person" required maxLength={100} autocomplete="off" onText={set('name')} />
        <Field
          label="Email"
          name="person-email"
          type="email"
          required
          autocomplete="off"
          onText={set('email')}
        />
        <Select label="Role" value={role} options={ROLES} onValue={setRole} />
        <DialogEnd action="Invite" busy={submission.busy} error={submission.error} onClose={onClose} />
      </form>
    </Dialog>
  )
}
