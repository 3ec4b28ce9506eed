// What every page of an account says first: that the account is not active.

import type { JSX } from 'preact'
import { useWho } from '../../app/who.tsx'
import { t } from '../../texts/texts.ts'
import { Notice } from '../../ui/notice.tsx'

export function AccountNotices(): JSX.Element | null {
  const { me } = useWho()
  if (me.account?.active !== false) return null
  return (
    <Notice tone="warn">
      <p>
        <strong>{t('account.inactive_title')}</strong> {t('account.inactive')}
      </p>
    </Notice>
  )
}
