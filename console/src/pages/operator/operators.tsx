// Who runs the service, in which role: invite, change the role, sign out everywhere, remove.

import type { Invitation, OperatorList, OperatorRole, OperatorView } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { call, post } from '../../app/api.ts'
import { Page } from '../../app/frames.tsx'
import { useLoad } from '../../app/use-load.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { useWho } from '../../app/who.tsx'
import { Confirm, Dialog, DialogEnd } from '../../ui/dialog.tsx'
import { Select } from '../../ui/field.tsx'
import { Shown } from '../../ui/notice.tsx'
import { When } from '../../ui/session-table.tsx'
import { Table } from '../../ui/table.tsx'
import { InvitationDialog } from './invitation.tsx'
import { InviteOperator, ROLES } from './invite.tsx'

const ROLE_NAMES: Readonly<Record<OperatorRole, string>> = {
  owner: 'Owner',
  support: 'Support',
  auditor: 'Auditor',
}
const ACTIONS = [
  ['role', 'Change role'],
  ['sign-out', 'Sign out'],
  ['remove', 'Remove'],
] as const
type Action = (typeof ACTIONS)[number][0]

export function Operators(): JSX.Element {
  const { me } = useWho()
  const list = useLoad<OperatorList>('/operator/operators')
  const [inviting, setInviting] = useState(false)
  const [invitation, setInvitation] = useState<Invitation>()
  const [chosen, setChosen] = useState<{ operator: OperatorView; action: Action }>()
  const isOwner = me.operator_role === 'owner'
  const invited = (made: Invitation) => {
    setInviting(false)
    setInvitation(made)
    list.reload()
  }
  return (
    <Page
      title="Operators"
      actions={
        isOwner && (
          <button type="button" class="button" onClick={() => setInviting(true)}>
            Invite operator
          </button>
        )
      }
    >
      {!isOwner && <p class="muted">Only owners can invite operators and change roles.</p>}
      <section class="card" aria-label="Operators">
        <Shown of={list}>
          {({ data }) => (
            <Rows
              operators={data}
              canManage={isOwner}
              onAct={(operator, action) => setChosen({ operator, action })}
            />
          )}
        </Shown>
      </section>
      {inviting && <InviteOperator onClose={() => setInviting(false)} onInvited={invited} />}
      {invitation !== undefined && (
        <InvitationDialog invitation={invitation} onClose={() => setInvitation(undefined)} />
      )}
      {chosen !== undefined && (
        <ActionDialog {...chosen} onDone={list.reload} onClose={() => setChosen(undefined)} />
      )}
    </Page>
  )
}

interface RowsProps {
  operators: readonly OperatorView[]
  canManage: boolean
  onAct: (operator: OperatorView, action: Action) => void
}

function Rows({ operators, canManage, onAct }: RowsProps): JSX.Element {
  const { me } = useWho()
  return (
    <Table heads={['Name', 'Email', 'Role', 'Last sign-in', { text: 'Actions', unseen: true }]}>
      {operators.map(operator => (
        <tr key={operator.id}>
          <td class="head">{operator.name}</td>
          <td data-label="Email" class="wide">
            {operator.email}
          </td>
          <td data-label="Role">{ROLE_NAMES[operator.role]}</td>
          <td data-label="Last sign-in" class="number">
            {operator.last_sign_in_at === null ? 'Not signed in' : <When at={operator.last_sign_in_at} />}
          </td>
          <td class="act right">
            {operator.email === me.email ? (
              <span class="badge">You</span>
            ) : (
              canManage && <RowActions operator={operator} onAct={action => onAct(operator, action)} />
            )}
          </td>
        </tr>
      ))}
    </Table>
  )
}

function RowActions(props: { operator: OperatorView; onAct: (action: Action) => void }): JSX.Element {
  return (
    <div class="row end">
      {ACTIONS.map(([action, label]) => (
        <button
          key={action}
          type="button"
          class="button quiet small"
          aria-label={`${label}: ${props.operator.email}`}
          onClick={() => props.onAct(action)}
        >
          {label}
        </button>
      ))}
    </div>
  )
}

interface DialogProps {
  operator: OperatorView
  onDone: () => void
  onClose: () => void
}

function ActionDialog({ action, ...props }: DialogProps & { action: Action }): JSX.Element {
  const { operator, onDone, onClose } = props
  const then = (work: Promise<unknown>) => work.then(onDone)
  switch (action) {
    case 'role':
      return <ChangeRole {...props} />
    case 'sign-out':
      return (
        <Confirm
          title={`Sign out ${operator.name} everywhere?`}
          action="Sign out"
          run={() => then(post(`/operator/users/${operator.id}/end-sign-ins`))}
          onClose={onClose}
        >
          <p>They can sign in again.</p>
        </Confirm>
      )
    case 'remove':
      return (
        <Confirm
          title={`Remove ${operator.name}?`}
          action="Remove"
          danger
          run={() => then(call('DELETE', `/operator/operators/${operator.id}`))}
          onClose={onClose}
        >
          <p>
            {operator.email} is signed out at once and can no longer open the operator pages. The audit log
            keeps what they did.
          </p>
        </Confirm>
      )
  }
}

function ChangeRole({ operator, onDone, onClose }: DialogProps): JSX.Element {
  const [role, setRole] = useState<OperatorRole>(operator.role)
  const submission = useSubmit(async () => {
    await call('PATCH', `/operator/operators/${operator.id}`, { role })
    onDone()
    onClose()
  })
  return (
    <Dialog title={`Role of ${operator.name}`} onClose={onClose}>
      <form onSubmit={submission.onSubmit}>
        <Select label="Role" value={role} options={ROLES} onValue={setRole} />
        <DialogEnd action="Save" busy={submission.busy} error={submission.error} onClose={onClose} />
      </form>
    </Dialog>
  )
}
