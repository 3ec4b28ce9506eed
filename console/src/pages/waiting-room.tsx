// After joining: what happens next, and the decision as soon as there is one. The browser knows its request by a cookie.

import type { ApplicationState } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { call } from '../app/api.ts'
import { NarrowPage } from '../app/frames.tsx'
import { useLoad, useRefresh } from '../app/use-load.ts'
import { useSubmit } from '../app/use-submit.ts'
import { Notice, Problem, Shown } from '../ui/notice.tsx'

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

/** Whoever was not let in has no settings page to leave by. */
function Withdraw({ done }: { done: () => void }): JSX.Element {
  const submission = useSubmit(async () => {
    await call('DELETE', '/application')
    done()
  })
  return (
    <section aria-labelledby="withdraw-title">
      <h2 id="withdraw-title">Changed your mind?</h2>
      <p class="muted">
        Deletes your name, e-mail, organisation and what you wrote, at once. You may ask again later.
      </p>
      {submission.error && <Problem error={submission.error} />}
      <button type="button" class="button quiet" disabled={submission.busy} onClick={submission.run}>
        Withdraw my request
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
            <strong>You are in.</strong> Open the link that you were sent and choose a password.
          </p>
        </Notice>
        <p>
          Already have a password? <a href="/signin">Sign in</a>.
        </p>
      </>
    )
  }
  if (status === 'declined') {
    return (
      <Notice tone="warn">
        <p>
          <strong>Not this time.</strong> The operator of this service declined the request. Sauti is open:
          you can <a href="/docs/self-hosting">run it yourself</a>.
        </p>
      </Notice>
    )
  }
  if (status === 'none') {
    return (
      <Notice>
        <p>
          This browser has sent no request. <a href="/join">Join the waitlist</a>, or look here with the
          browser that you joined with.
        </p>
      </Notice>
    )
  }
  return (
    <>
      <Notice>
        <p>
          <strong>You are on the list.</strong> An operator looks at every request. When yours is approved you
          are sent a link, and this page says so, too.
        </p>
      </Notice>
      <h2>While you wait</h2>
      <ul>
        <li>
          <a href="/#demo">Hear and see the sample clips</a>
        </li>
        <li>
          <a href="/docs/quickstart">Read the quickstart</a>
        </li>
        <li>
          <a href="/docs/self-hosting">Run the whole service on your own machine</a>, with the same models and
          no waiting
        </li>
      </ul>
    </>
  )
}
