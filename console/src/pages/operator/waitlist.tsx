// Requests to join, and the decision on each.

import type { Application, Invitation } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../../app/api.ts'
import { Page } from '../../app/frames.tsx'
import { Chips } from '../../ui/chips.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { formatDateTime, mailLink } from '../../ui/format.ts'
import { Empty } from '../../ui/notice.tsx'
import { Listed, type Pages, usePages } from '../../ui/pager.tsx'
import { When } from '../../ui/session-table.tsx'
import { Approve } from './approve.tsx'
import { CreditRequests } from './credit-requests.tsx'
import { InvitationDialog } from './invitation.tsx'

const STATUSES = [
  { value: 'waiting', label: 'Waiting' },
  { value: 'approved', label: 'Approved' },
  { value: 'declined', label: 'Declined' },
] as const
type Status = (typeof STATUSES)[number]['value']

export function Waitlist(): JSX.Element {
  const [status, setStatus] = useState<Status>('waiting')
  const pages = usePages<Application>(`/operator/waitlist?status=${status}`)
  return (
    <Page title="Requests">
      <CreditRequests onChange={pages.reload} />
      <h2>Waitlist</h2>
      <Chips legend="Show" value={status} options={STATUSES} onValue={setStatus} />
      <Listed pages={pages} empty={<NobodyThere status={status} />}>
        {applications => <Applications applications={applications} pages={pages} />}
      </Listed>
    </Page>
  )
}

function NobodyThere({ status }: { status: Status }): JSX.Element {
  return (
    <div class="card">
      <Empty title={status === 'waiting' ? 'No requests waiting' : `No ${status} requests`}>
        {status === 'waiting' && 'New requests appear here.'}
      </Empty>
    </div>
  )
}

interface ApplicationsProps {
  applications: readonly Application[]
  pages: Pages<Application>
}

function Applications({ applications, pages }: ApplicationsProps): JSX.Element {
  const [approving, setApproving] = useState<Application>()
  const [declining, setDeclining] = useState<Application>()
  const [invitation, setInvitation] = useState<Invitation>()
  return (
    <>
      <ul class="people">
        {applications.map(application => (
          <li key={application.id} class="card">
            <Applicant application={application} />
            {application.status === 'waiting' && (
              <div class="row">
                <button type="button" class="button" onClick={() => setApproving(application)}>
                  Approve
                </button>
                <button type="button" class="button quiet" onClick={() => setDeclining(application)}>
                  Decline
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {approving !== undefined && (
        <Approve
          application={approving}
          onClose={() => setApproving(undefined)}
          onApproved={made => {
            setApproving(undefined)
            setInvitation(made)
          }}
        />
      )}
      {declining !== undefined && (
        <Confirm
          title={`Decline ${declining.name}?`}
          action="Decline"
          danger
          run={async () => {
            await post(`/operator/waitlist/${declining.id}/decline`)
            pages.reload()
          }}
          onClose={() => setDeclining(undefined)}
        >
          <p>Their status page will say so. They can apply again later.</p>
        </Confirm>
      )}
      {invitation !== undefined && (
        <InvitationDialog
          invitation={invitation}
          onClose={() => {
            setInvitation(undefined)
            pages.reload()
          }}
        />
      )}
    </>
  )
}

function Applicant({ application }: { application: Application }): JSX.Element {
  return (
    <>
      <h3>{application.name}</h3>
      <p class="muted facts">
        <a href={mailLink(application.email)}>{application.email}</a>
        {application.organisation !== '' && <span>{application.organisation}</span>}
        <When at={application.created_at} />
      </p>
      <p class="said">{application.use}</p>
      {application.decided_at !== null && (
        <p class="small muted">
          {application.status === 'approved' ? 'Approved' : 'Declined'}{' '}
          {formatDateTime(application.decided_at)}
          {application.decided_by !== null && <> by {application.decided_by}</>}
          {application.account_id !== null && (
            <>
              {' · '}
              <a href={`/operator/accounts/${application.account_id}`}>View account</a>
            </>
          )}
        </p>
      )}
    </>
  )
}
