// What the operator sees after letting somebody in: that the e-mail is out, or the link to hand over.

import type { Invitation } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { CopyLine } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { formatDateTime } from '../ui/format.ts'

export function InvitationDialog(props: { invitation: Invitation; onClose: () => void }): JSX.Element {
  const { invitation, onClose } = props
  return (
    <Dialog title={invitation.emailed ? 'The e-mail is on its way' : 'Hand over this link'} onClose={onClose}>
      {invitation.link === null ? (
        <p>{invitation.email} got a link with which to choose a password.</p>
      ) : (
        <>
          <p>
            Send it to <strong>{invitation.email}</strong> and to nobody else: whoever opens it chooses the
            password. It is shown only now.
          </p>
          <CopyLine text={invitation.link} what="the link" />
        </>
      )}
      <p class="small muted">It works once, until {formatDateTime(invitation.expires_at)}.</p>
      <div class="row end">
        <button type="button" class="button" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  )
}
