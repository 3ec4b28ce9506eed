// What an operator sees after inviting someone: that the email was sent, or the link to pass on.

import type { Invitation } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { CopyLine } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatDateTime } from '../../ui/format.ts'

export function InvitationDialog(props: { invitation: Invitation; onClose: () => void }): JSX.Element {
  const { invitation, onClose } = props
  return (
    <Dialog title={invitation.emailed ? 'Email sent' : 'Share this link'} onClose={onClose}>
      {invitation.link === null ? (
        <p>We sent {invitation.email} a link to set a password.</p>
      ) : (
        <>
          <p>
            Send this link to <strong>{invitation.email}</strong> only: whoever opens it can set the password.
            It is shown only once.
          </p>
          <CopyLine text={invitation.link} what="the link" />
        </>
      )}
      <p class="small muted">It works once and expires on {formatDateTime(invitation.expires_at)}.</p>
      <div class="row end">
        <button type="button" class="button" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  )
}
