// For an operator without an account: what is missing here, and one button that adds it.

import type { JSX } from 'preact'
import { post } from '../../app/api.ts'
import { Page } from '../../app/frames.tsx'
import { useSubmit } from '../../app/use-submit.ts'
import { useWho } from '../../app/who.tsx'
import { t } from '../../texts/texts.ts'
import { Empty, Problem } from '../../ui/notice.tsx'

export function NoAccount({ title }: { title: string }): JSX.Element {
  const { refresh } = useWho()
  const submission = useSubmit(async () => {
    await post('/operator/my-account')
    await refresh()
  })
  return (
    <Page title={title} translated>
      <section class="card">
        <Empty title={t('account.none_title')}>
          {t('account.none')}
          <div>
            <button type="button" class="button" aria-disabled={submission.busy} onClick={submission.run}>
              {t('account.create')}
            </button>
          </div>
        </Empty>
        {submission.error !== undefined && <Problem error={submission.error} />}
      </section>
    </Page>
  )
}
