// Credit that runs low or is used up, and a way to ask the operator for more.

import { type CreditAmounts, creditLevel } from '@sauti/protocol/console-rules'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { useLoad } from '../../app/use-load.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { Dialog, DialogEnd } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { formatDuration } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'

export function CreditNotice({ balance }: { balance: CreditAmounts }): JSX.Element | null {
  const level = creditLevel(balance)
  if (level === 'enough') return null
  return (
    <Notice tone={level === 'empty' ? 'bad' : 'warn'}>
      <div class="row apart">
        <span>
          {level === 'empty' ? (
            <>
              <strong>You have no credit left.</strong> New sessions are refused.
            </>
          ) : (
            <>
              <strong>Your credit is running low.</strong> {formatDuration(balance.available_ms)} left.
            </>
          )}
        </span>
        <AskForMore />
      </div>
    </Notice>
  )
}

function AskForMore(): JSX.Element {
  const request = useLoad<{ waiting: boolean }>('/credit-requests')
  const [open, setOpen] = useState(false)
  if (request.data?.waiting === true) return <span class="muted">You have asked for more credit.</span>
  return (
    <>
      <button type="button" class="button quiet small" onClick={() => setOpen(true)}>
        Ask for more
      </button>
      {open && (
        <AskDialog
          onClose={() => setOpen(false)}
          onDone={() => {
            setOpen(false)
            request.reload()
          }}
        />
      )}
    </>
  )
}

function AskDialog({ onClose, onDone }: { onClose: () => void; onDone: () => void }): JSX.Element {
  const [note, setNote] = useState('')
  const submission = useSubmit(async () => {
    await post('/credit-requests', { note: note.trim() })
    onDone()
  })
  return (
    <Dialog title="Ask for more credit" onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        <p>The operator of this service gets your request and decides.</p>
        <Field
          label="How much do you need, and what for?"
          name="note"
          rows={3}
          required
          maxLength={500}
          onText={setNote}
        />
        <DialogEnd action="Send request" busy={submission.busy} error={submission.error} onClose={onClose} />
      </form>
    </Dialog>
  )
}
