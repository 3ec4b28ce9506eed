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

export function Team(): JSX.Element {
  const team = useLoad<TeamList>('/team')
  const [inviting, setInviting] = useState(false)
  const [invitation, setInvitation] = useState<Invitation>()
  const [removing, setRemoving] = useState<TeamMember>()
  return (
    <section class="card" aria-labelledby="team-title">
      <div class="card-head">
        <h2 id="team-title">Team</h2>
        {team.data?.can_manage === true && (
          <button type="button" class="button quiet small" onClick={() => setInviting(true)}>
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
              {...(can_manage && !member.is_me && { onRemove: () => setRemoving(member) })}
            />
          ))
        }
      </Shown>
      {inviting && (
        <InviteMember
          onClose={() => setInviting(false)}
          onInvited={made => {
            setInviting(false)
            setInvitation(made)
            team.reload()
          }}
        />
      )}
      {invitation !== undefined && (
        <InvitationDialog invitation={invitation} onClose={() => setInvitation(undefined)} />
      )}
      {removing !== undefined && (
        <Confirm
          title={`Remove ${removing.name}?`}
          action="Remove"
          danger
          run={async () => {
            await call('DELETE', `/team/${removing.id}`)
            team.reload()
          }}
          onClose={() => setRemoving(undefined)}
        >
          <p>They are signed out immediately and their sign-in is deleted. Your keys and credit are kept.</p>
        </Confirm>
      )}
    </section>
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
