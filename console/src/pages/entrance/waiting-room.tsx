// After joining: what happens next, and the decision once it is made. The browser knows its request by a cookie.

import type { ApplicationState } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { call } from '../../app/api.ts'
import { NarrowPage } from '../../app/frames.tsx'
import { useLoad, useRefresh } from '../../app/use-load.ts'
import { useSubmit } from '../../app/use-submit.ts'
import { Notice, Problem, Shown } from '../../ui/notice.tsx'

export function WaitingRoom(): JSX.Element {
  const state = useLoad<ApplicationState>('/application')
  useRefresh(state.reload, 15_000)
  return (
    <NarrowPage title="Your request" wider>
      <Shown of={state}>
        {({ status }) => (
          <>
            <Decision status={status} />
            {(status === 'waiting' || status === 'declined') && <Withdraw done={state.reload} />}
          </>
        )}
      </Shown>
    </NarrowPage>
  )
}

/** People without an account have no settings page, so they delete their data here. */
function Withdraw({ done }: { done: () => void }): JSX.Element {
  const submission = useSubmit(async () => {
    await call('DELETE', '/application')
    done()
  })
  return (
    <section aria-labelledby="withdraw-title">
      <h2 id="withdraw-title">Changed your mind?</h2>
      <p class="muted">
        Withdrawing deletes your name, email, organisation and answers immediately. You can apply again later.
      </p>
      {submission.error && <Problem error={submission.error} />}
      <button type="button" class="button quiet" aria-disabled={submission.busy} onClick={submission.run}>
        Withdraw request
      </button>
    </section>
  )
}

function Decision({ status }: ApplicationState): JSX.Element {
  if (status === 'approved') {
    return (
      <>
        <Notice tone="good">
          <p>
            <strong>Your request was approved.</strong> Open the link you were sent to set your password.
          </p>
        </Notice>
        <p>
          Already have a password? <a href="/signin">Sign in</a>
        </p>
      </>
    )
  }
  if (status === 'declined') {
    return (
      <Notice tone="warn">
        <p>
          <strong>Your request was declined</strong> by the operator of this service. Sauti is open source, so
          you can <a href="/docs/self-hosting">run it yourself</a>.
        </p>
      </Notice>
    )
  }
  if (status === 'none') {
    return (
      <Notice>
        <p>
          No request was sent from this browser. <a href="/join">Join the waitlist</a>, or open this page in
          the browser you joined with.
        </p>
      </Notice>
    )
  }
  return (
    <>
      <Notice>
        <p>
          <strong>You are on the waitlist.</strong> An operator reviews every request. When yours is approved,
          we send you a link and this page tells you.
        </p>
      </Notice>
      <h2>While you wait</h2>
      <ul>
        <li>
          <a href="/#demo">Try the sample clips</a>
        </li>
        <li>
          <a href="/docs/quickstart">Read the quickstart</a>
        </li>
        <li>
          <a href="/docs/self-hosting">Run the whole service on your own machine</a>, with the same models and
          no waitlist
        </li>
      </ul>
    </>
  )
}
