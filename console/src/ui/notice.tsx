// What pages say while they wait and when something is refused.

import type { ComponentChildren, JSX } from 'preact'
import type { ApiError } from '../app/api.ts'

export function Waiting({ words = 'Loading' }: { words?: string }): JSX.Element {
  return (
    <p class="muted waiting-dots" role="status">
      {words}
    </p>
  )
}

export function Problem({ error, again }: { error: ApiError; again?: () => void }): JSX.Element {
  return (
    <div class="notice bad" role="alert">
      <p>{error.message}</p>
      {error.status >= 500 && error.requestId !== undefined && (
        <p class="small muted">
          For support: <span class="mono">{error.requestId}</span>
        </p>
      )}
      {again !== undefined && (
        <button type="button" class="button quiet small" onClick={again}>
          Try again
        </button>
      )}
    </div>
  )
}

type Tone = 'good' | 'warn' | 'bad' | 'plain'

export function Notice({
  tone = 'plain',
  children,
}: {
  tone?: Tone
  children: ComponentChildren
}): JSX.Element {
  return (
    <div class={`notice ${tone}`} role="status">
      {children}
    </div>
  )
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children}
    </div>
  )
}

/** Shows what was loaded, the wait before it, or the refusal; old data stays visible below a refusal. */
export function Shown<Data>(props: {
  of: { data: Data | undefined; error: ApiError | undefined; reload: () => void }
  children: (data: Data) => ComponentChildren
}): JSX.Element {
  const { data, error, reload } = props.of
  return (
    <>
      {error !== undefined && <Problem error={error} again={reload} />}
      {data !== undefined && props.children(data)}
      {data === undefined && error === undefined && <Waiting />}
    </>
  )
}
