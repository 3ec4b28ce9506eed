// Requests for more credit, above the waitlist: both are people who wait for an operator.

import type { CreditRequestList, CreditRequestView } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { useLoad } from '../../app/use-load.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { Confirm, Dialog, DialogEnd } from '../../ui/dialog.tsx'
import { formatDuration } from '../../ui/format.ts'
import { When } from '../../ui/session-table.tsx'
import { AmountField, useAmount } from './amount-field.tsx'

export function CreditRequests({ onChange }: { onChange: () => void }): JSX.Element | null {
  const requests = useLoad<CreditRequestList>('/operator/credit-requests')
  const [granting, setGranting] = useState<CreditRequestView>()
  const [dismissing, setDismissing] = useState<CreditRequestView>()
  const changed = () => {
    setGranting(undefined)
    requests.reload()
    onChange()
  }
  if (requests.data === undefined || requests.data.data.length === 0) return null
  return (
    <section aria-labelledby="credit-title">
      <h2 id="credit-title">Credit requests</h2>
      <ul class="people">
        {requests.data.data.map(request => (
          <li key={request.id} class="card">
            <Request request={request} />
            <div class="row">
              <button type="button" class="button" onClick={() => setGranting(request)}>
                Grant credit
              </button>
              <button type="button" class="button quiet" onClick={() => setDismissing(request)}>
                Dismiss
              </button>
            </div>
          </li>
        ))}
      </ul>
      {granting !== undefined && (
        <GrantRequested request={granting} onClose={() => setGranting(undefined)} onDone={changed} />
      )}
      {dismissing !== undefined && (
        <Confirm
          title={`Dismiss the request of ${dismissing.account_name}?`}
          action="Dismiss"
          run={async () => {
            await post(`/operator/credit-requests/${dismissing.id}/dismiss`)
            changed()
          }}
          onClose={() => setDismissing(undefined)}
        >
          <p>No credit is granted. They can ask again.</p>
        </Confirm>
      )}
    </section>
  )
}

function Request({ request }: { request: CreditRequestView }): JSX.Element {
  return (
    <>
      <h3>
        <a href={`/operator/accounts/${request.account_id}`}>{request.account_name}</a>
      </h3>
      <p class="muted facts">
        <span>
          {request.person} ({request.email})
        </span>
        <span>{formatDuration(request.available_ms)} left</span>
        <When at={request.created_at} />
      </p>
      <p class="said">{request.note}</p>
    </>
  )
}

interface GrantRequestedProps {
  request: CreditRequestView
  onClose: () => void
  onDone: () => void
}

function GrantRequested({ request, onClose, onDone }: GrantRequestedProps): JSX.Element {
  const amount = useAmount('1 h')
  const [touched, setTouched] = useState(false)
  const submission = useSubmit(async () => {
    setTouched(true)
    if (amount.seconds === undefined) return
    await post(`/operator/credit-requests/${request.id}/grant`, { seconds: amount.seconds })
    onDone()
  })
  return (
    <Dialog title={`Grant credit to ${request.account_name}`} onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        <AmountField label="Amount" amount={amount} complain={touched} />
        <DialogEnd action="Grant credit" busy={submission.busy} error={submission.error} onClose={onClose} />
      </form>
    </Dialog>
  )
}
