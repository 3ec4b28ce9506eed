// Approve a request: how much credit to start with.

import type { Application, Invitation } from '@sauti/protocol/console'
import { STARTING_CREDIT_SECONDS } from '@sauti/protocol/console-rules'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { Dialog, DialogEnd } from '../../ui/dialog.tsx'
import { AmountField, useAmount } from './amount-field.tsx'

interface Props {
  application: Application
  onClose: () => void
  onApproved: (invitation: Invitation) => void
}

export function Approve({ application, onClose, onApproved }: Props): JSX.Element {
  const amount = useAmount(`${STARTING_CREDIT_SECONDS / 60} min`)
  const [touched, setTouched] = useState(false)
  const submission = useSubmit(async () => {
    setTouched(true)
    if (amount.seconds === undefined) return
    const body = { credit_seconds: amount.seconds }
    onApproved(await post<Invitation>(`/operator/waitlist/${application.id}/approve`, body))
  })
  return (
    <Dialog title={`Approve ${application.name}`} onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        <p>
          This creates an account for {application.organisation || application.name} and a link to set a
          password.
        </p>
        <AmountField label="Starting credit" amount={amount} complain={touched} />
        <DialogEnd action="Approve" busy={submission.busy} error={submission.error} onClose={onClose} />
      </form>
    </Dialog>
  )
}
