// Everything that is known of one session, above all why it ended. Never what was said.

import type { OperatorSession, SessionRow } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../texts/texts.ts'
import { CopyLine } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'
import { translateDuration } from './duration.ts'
import { formatDateTime, languageOf } from './format.ts'
import { explainEnding } from './session-endings.ts'
import { StatusBadge } from './session-table.tsx'

type Session = SessionRow | OperatorSession

/** The first part of an ID; it opens the rest. */
function SessionId({ session }: { session: Session }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        class="id mono"
        title={session.id}
        aria-label={`Details of session ${session.id}`}
        onClick={() => setOpen(true)}
      >
        {session.id.slice(0, 8)}
      </button>
      {isOpen && <SessionDetails session={session} onClose={() => setOpen(false)} />}
    </>
  )
}

function SessionDetails({ session, onClose }: { session: Session; onClose: () => void }): JSX.Element {
  const { what, next } = explainEnding(session.status, session.ending)
  return (
    <Dialog title={t('session.title')} onClose={onClose} translated>
      <CopyLine text={session.id} label={t('session.copy_id')} />
      <p class="ending">
        <StatusBadge status={session.status} label={t(`session_status.${session.status}`)} /> {what}
      </p>
      {next !== undefined && <p class="muted">{next}</p>}
      <Facts session={session} />
      <div class="row end">
        <a class="button bare" href="/docs/guides/errors#stream-errors">
          {t('session.all_reasons')}
        </a>
        <button type="button" class="button quiet" onClick={onClose}>
          {t('session.close')}
        </button>
      </div>
    </Dialog>
  )
}

function Facts({ session }: { session: Session }): JSX.Element {
  const { ending, completed_at } = session
  return (
    <dl class="pairs">
      {'account_id' in session && (
        <>
          <dt>{t('session.account')}</dt>
          <dd>
            <a href={`/operator/accounts/${session.account_id}`}>{session.account_name}</a>
          </dd>
        </>
      )}
      <dt>{t('session.started')}</dt>
      <dd class="number">{formatDateTime(session.created_at)}</dd>
      {completed_at !== null && (
        <>
          <dt>{t('session.ended')}</dt>
          <dd class="number">
            {t('session.ended_after', {
              time: formatDateTime(completed_at),
              duration: translateDuration(Date.parse(completed_at) - Date.parse(session.created_at)),
            })}
          </dd>
        </>
      )}
      {ending !== null && (
        <>
          <dt>{t('session.reason')}</dt>
          <dd>
            <code>{ending}</code>
          </dd>
        </>
      )}
      <dt>{t('session.source')}</dt>
      <dd>{nameSource(session, t('session.playground'), t('session.unnamed_key'))}</dd>
      <dt>{t('session.model')}</dt>
      <dd>
        {languageOf(session.model)} <span class="mono muted">{session.model}</span>
      </dd>
      <dt>{t('session.reserved')}</dt>
      <dd class="number">{translateDuration(session.reserved_ms)}</dd>
      <dt>{t('session.audio')}</dt>
      <dd class="number">{translateDuration(session.audio_ms)}</dd>
      <dt>{t('session.billed')}</dt>
      <dd class="number">{translateDuration(session.billable_ms)}</dd>
      {'node_id' in session && (
        <>
          <dt>{t('session.node')}</dt>
          <dd class="mono">{session.node_id}</dd>
        </>
      )}
    </dl>
  )
}

function nameSource({ key }: Session, playground = 'Playground', unnamed = 'Unnamed key'): string {
  return key === null ? playground : key.name || unnamed
}

/** Which session it is, and what it was opened with. */
export function SourceCells({ session }: { session: Session }): JSX.Element {
  return (
    <>
      <td data-label="Session">
        <SessionId session={session} />
      </td>
      <td data-label="Source">{nameSource(session)}</td>
    </>
  )
}
