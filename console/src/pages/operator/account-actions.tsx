// What an operator can do to an account: grant credit, change its concurrency limit, deactivate and activate it.

import type { AccountDetail } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { call, post } from '../../app/api.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { Confirm, Dialog, DialogEnd } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { AmountField, useAmount } from './amount-field.tsx'

interface Props {
  account: AccountDetail
  onChange: () => void
}

export function AccountActions({ account, onChange }: Props): JSX.Element {
  const [open, setOpen] = useState<'grant' | 'limit' | 'active'>()
  const close = () => setOpen(undefined)
  const done = () => {
    close()
    onChange()
  }
  return (
    <div class="row actions">
      <button type="button" class="button" onClick={() => setOpen('grant')}>
        Grant credit
      </button>
      <button type="button" class="button quiet" onClick={() => setOpen('limit')}>
        Concurrency: {account.concurrency_limit} · Change
      </button>
      <button type="button" class="button quiet" onClick={() => setOpen('active')}>
        {account.active ? 'Deactivate' : 'Activate'}
      </button>
      {open === 'grant' && <Grant account={account} onClose={close} onDone={done} />}
      {open === 'limit' && <Concurrency account={account} onClose={close} onDone={done} />}
      {open === 'active' && <Activation account={account} onClose={close} onChange={onChange} />}
    </div>
  )
}

interface DialogProps {
  account: AccountDetail
  onClose: () => void
  onDone: () => void
}

function Grant({ account, onClose, onDone }: DialogProps): JSX.Element {
  const amount = useAmount('1 h')
  const [note, setNote] = useState('')
  const [touched, setTouched] = useState(false)
  const submission = useSubmit(async () => {
    setTouched(true)
    if (amount.seconds === undefined) return
    await post(`/operator/accounts/${account.id}/credits`, { seconds: amount.seconds, note: note.trim() })
    onDone()
  })
  return (
    <Dialog title={`Grant credit to ${account.name}`} onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        <AmountField label="Amount" amount={amount} complain={touched} />
        <Field
          label="Note"
          hint="The reason for this grant. It appears in the ledger and in the audit log."
          name="note"
          required
          maxLength={300}
          autocomplete="off"
          onText={setNote}
        />
        <DialogEnd action="Grant credit" busy={submission.busy} error={submission.error} onClose={onClose} />
      </form>
    </Dialog>
  )
}

function Concurrency({ account, onClose, onDone }: DialogProps): JSX.Element {
  const [text, setText] = useState(String(account.concurrency_limit))
  const submission = useSubmit(async () => {
    await call('PATCH', `/operator/accounts/${account.id}`, { concurrency_limit: Number(text) })
    onDone()
  })
  return (
    <Dialog title="Concurrency limit" onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        <Field
          label="Maximum number of open sessions"
          hint="A lower limit applies to new sessions. Open sessions are not interrupted."
          name="limit"
          type="number"
          min={1}
          max={1000}
          required
          value={text}
          onText={setText}
        />
        <DialogEnd action="Save" busy={submission.busy} error={submission.error} onClose={onClose} />
      </form>
    </Dialog>
  )
}

function Activation({ account, onClose, onChange }: Props & { onClose: () => void }): JSX.Element {
  const run = async () => {
    await call('PATCH', `/operator/accounts/${account.id}`, { active: !account.active })
    onChange()
  }
  return (
    <Confirm
      title={account.active ? `Deactivate ${account.name}?` : `Activate ${account.name}?`}
      action={account.active ? 'Deactivate' : 'Activate'}
      danger={account.active}
      run={run}
      onClose={onClose}
    >
      <p>
        {account.active
          ? 'Its API keys stop working and its open streams end within seconds. Credit and keys are kept.'
          : 'Its API keys start working again immediately.'}
      </p>
    </Confirm>
  )
}
