// What an operator sees after inviting someone: that the email was sent, or the link to pass on.

import type { Invitation } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../../texts/texts.ts'
import { CopyLine } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatDateTime } from '../../ui/format.ts'

export function InvitationDialog(props: { invitation: Invitation; onClose: () => void }): JSX.Element {
  const { invitation, onClose } = props
  const [copied, setCopied] = useState(false)
  const isKept = copied || invitation.link === null
  return (
    <Dialog
      title={invitation.emailed ? 'Email sent' : 'Share this link'}
      onClose={onClose}
      keepOpen={!isKept}
    >
      {invitation.link === null ? (
        <p>We sent {invitation.email} a link to set a password.</p>
      ) : (
        <>
          <p>
            Send this link to <strong>{invitation.email}</strong> only: whoever opens it can set the password.
            It is shown only once.
          </p>
          <CopyLine text={invitation.link} label={t('common.copy_link')} onCopied={() => setCopied(true)} />
        </>
      )}
      <p class="small muted">It works once and expires on {formatDateTime(invitation.expires_at)}.</p>
      <div class="row end">
        <button type="button" class="button" onClick={onClose}>
          {isKept ? 'Done' : 'I have saved the link'}
        </button>
      </div>
    </Dialog>
  )
}
