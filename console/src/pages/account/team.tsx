// The people of the account: invite, see, remove.

import type { AccountRole, Invitation, TeamList, TeamMember } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { call, post } from '../../app/api.ts'
import { useLoad } from '../../app/use-load.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { Confirm, Dialog, DialogEnd } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Shown } from '../../ui/notice.tsx'
import { InvitationDialog } from '../operator/invitation.tsx'

const ROLES = [
  { value: 'member', label: 'Member', hint: 'Uses keys, credit and the playground.' },
  { value: 'owner', label: 'Owner', hint: 'Can also invite and remove people.' },
] as const

type Open =
  | { readonly dialog: 'invite' }
  | { readonly dialog: 'invited'; readonly invitation: Invitation }
  | { readonly dialog: 'remove'; readonly member: TeamMember }

export function Team(): JSX.Element {
  const team = useLoad<TeamList>('/team')
  const [open, setOpen] = useState<Open>()
  return (
    <section class="card" aria-labelledby="team-title">
      <div class="card-head">
        <h2 id="team-title">Team</h2>
        {team.data?.can_manage === true && (
          <button type="button" class="button quiet small" onClick={() => setOpen({ dialog: 'invite' })}>
            Invite
          </button>
        )}
      </div>
      <Shown of={team}>
        {({ data, can_manage }) =>
          data.map(member => (
            <Member
              key={member.id}
              member={member}
              {...(can_manage && !member.is_me && { onRemove: () => setOpen({ dialog: 'remove', member }) })}
            />
          ))
        }
      </Shown>
      {open !== undefined && <OpenDialog open={open} setOpen={setOpen} reload={team.reload} />}
    </section>
  )
}

interface OpenDialogProps {
  open: Open
  setOpen: (open: Open | undefined) => void
  reload: () => void
}

function OpenDialog({ open, setOpen, reload }: OpenDialogProps): JSX.Element {
  const onClose = () => setOpen(undefined)
  switch (open.dialog) {
    case 'invite':
      return (
        <InviteMember
          onClose={onClose}
          onInvited={invitation => {
            setOpen({ dialog: 'invited', invitation })
            reload()
          }}
        />
      )
    case 'invited':
      return <InvitationDialog invitation={open.invitation} onClose={onClose} />
    case 'remove':
      return <RemoveMember member={open.member} onClose={onClose} onRemoved={reload} />
  }
}

interface RemoveMemberProps {
  member: TeamMember
  onClose: () => void
  onRemoved: () => void
}

function RemoveMember({ member, onClose, onRemoved }: RemoveMemberProps): JSX.Element {
  return (
    <Confirm
      title={`Remove ${member.name}?`}
      action="Remove"
      danger
      run={async () => {
        await call('DELETE', `/team/${member.id}`)
        onRemoved()
      }}
      onClose={onClose}
    >
      <p>
        {member.has_joined
          ? 'They are signed out immediately and their sign-in is deleted. Your keys and credit are kept.'
          : 'Their invitation stops working. You can invite them again.'}
      </p>
    </Confirm>
  )
}

function Member({ member, onRemove }: { member: TeamMember; onRemove?: () => void }): JSX.Element {
  return (
    <div class="row apart person">
      <div>
        <strong>{member.name}</strong> {member.is_me && <span class="muted">(you)</span>}
        <div class="small muted">
          {member.email} · {member.role === 'owner' ? 'Owner' : 'Member'}
          {!member.has_joined && ' · Invited'}
        </div>
      </div>
      {onRemove !== undefined && (
        <button
          type="button"
          class="button bare small"
          aria-label={`Remove ${member.name}`}
          onClick={onRemove}
        >
          Remove
        </button>
      )}
    </div>
  )
}

interface InviteMemberProps {
  onClose: () => void
  onInvited: (invitation: Invitation) => void
}

function InviteMember({ onClose, onInvited }: InviteMemberProps): JSX.Element {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<AccountRole>('member')
  const submission = useSubmit(async () =>
    onInvited(await post<Invitation>('/team', { name: name.trim(), email: email.trim(), role })),
  )
  return (
    <Dialog title="Invite someone" onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        <Field label="Name" name="person" required maxLength={100} autocomplete="off" onText={setName} />
        <Field label="Email" name="person-email" type="email" required autocomplete="off" onText={setEmail} />
        <Select label="Role" value={role} options={ROLES} onValue={setRole} />
        <DialogEnd action="Invite" busy={submission.busy} error={submission.error} onClose={onClose} />
      </form>
    </Dialog>
  )
}
