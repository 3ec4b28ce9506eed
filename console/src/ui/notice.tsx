// What pages show while they load and when something is refused.

import type { ComponentChildren, JSX } from 'preact'
import type { ApiError } from '../app/api-error.ts'
import { findText, t } from '../texts/texts.ts'

/** The outline of what is on its way: lines of a table, three figures, or a chart. */
export function Skeleton({ of = 'lines' }: { of?: 'lines' | 'stats' | 'chart' }): JSX.Element {
  const [style, count] = SKELETONS[of]
  return (
    <div class={`skeleton ${style}`} role="status">
      <span class="visually-hidden">{t('common.loading')}</span>
      {Array.from({ length: count }, (_, line) => (
        <i key={line} aria-hidden="true" />
      ))}
    </div>
  )
}

const SKELETONS = { lines: ['', 6], stats: ['stats three', 3], chart: ['chart-space', 1] } as const

/** The server speaks English; a catalogue may have its own words for a code. */
export function Problem({ error, again }: { error: ApiError; again?: () => void }): JSX.Element {
  return (
    <div class="notice bad" role="alert">
      <p>{findText(`errors.${error.code}`) ?? error.message}</p>
      {error.status >= 500 && error.requestId !== undefined && (
        <p class="small muted">
          {t('common.reference')} <span class="mono">{error.requestId}</span>
        </p>
      )}
      {again !== undefined && (
        <button type="button" class="button quiet small" onClick={again}>
          {t('common.try_again')}
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

/** Shows what was loaded, its outline before that, or the error; old data stays visible below an error. */
export function Shown<Data>(props: {
  skeleton?: 'lines' | 'stats' | 'chart'
  of: { data: Data | undefined; error: ApiError | undefined; reload: () => void }
  children: (data: Data) => ComponentChildren
}): JSX.Element {
  const { data, error, reload } = props.of
  return (
    <>
      {error !== undefined && <Problem error={error} again={reload} />}
      {data !== undefined && props.children(data)}
      {data === undefined && error === undefined && <Skeleton of={props.skeleton ?? 'lines'} />}
    </>
  )
}
