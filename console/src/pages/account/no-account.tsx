// For an operator without an account: what is missing here, and one button that adds it.

import type { JSX } from 'preact'
import { post } from '../../app/api.ts'
import { Page } from '../../app/frames.tsx'
import { useSubmit } from '../../app/use-submit.ts'
import { useWho } from '../../app/who.tsx'
import { Empty, Problem } from '../../ui/notice.tsx'

export function NoAccount({ title }: { title: string }): JSX.Element {
  const { refresh } = useWho()
  const submission = useSubmit(async () => {
    await post('/operator/my-account')
    await refresh()
  })
  return (
    <Page title={title}>
      <section class="card">
        <Empty title="You have no account yet">
          As an operator you can manage the service without one. Keys, credit and the playground need an
          account.
          <div>
            <button type="button" class="button" aria-disabled={submission.busy} onClick={submission.run}>
              Create an account for me
            </button>
          </div>
        </Empty>
        {submission.error !== undefined && <Problem error={submission.error} />}
      </section>
    </Page>
  )
}
