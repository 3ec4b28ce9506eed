// Is it well? Engine, database, e-mail.

import type { Health } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { Page } from '../app/frames.tsx'
import { useLoad, useRefresh } from '../app/use-load.ts'
import { formatDuration, languageOf } from '../ui/format.ts'
import { Notice, Shown } from '../ui/notice.tsx'

export function HealthPage(): JSX.Element {
  const health = useLoad<Health>('/operator/health')
  useRefresh(health.reload, 5000)
  return (
    <Page title="Health">
      <Shown of={health}>{data => <Report health={data} />}</Shown>
    </Page>
  )
}

function Report({ health }: { health: Health }): JSX.Element {
  const { database, engine } = health
  return (
    <>
      <Notice tone={health.ready ? 'good' : 'bad'}>
        <p>
          <strong>{health.ready ? 'All is well.' : 'Not ready: new sessions are refused.'}</strong> Running
          for {formatDuration(health.uptime_seconds * 1000)}.
        </p>
      </Notice>
      <div class="split">
        <section class="card" aria-labelledby="engine-title">
          <h2 id="engine-title">Recogniser</h2>
          <dl class="pairs">
            <dt>State</dt>
            <dd>
              <State ok={engine.ok} />
            </dd>
            <dt>Streams</dt>
            <dd class="number">
              {engine.open_streams} of {engine.capacity}
            </dd>
            <dt>Models</dt>
            <dd>{engine.models.map(languageOf).join(', ') || 'none'}</dd>
            {engine.missing_models.length > 0 && (
              <>
                <dt>Missing</dt>
                <dd>{engine.missing_models.map(languageOf).join(', ')}</dd>
              </>
            )}
          </dl>
          <Meter value={engine.open_streams} max={engine.capacity} />
        </section>
        <section class="card" aria-labelledby="database-title">
          <h2 id="database-title">Database</h2>
          <dl class="pairs">
            <dt>State</dt>
            <dd>
              <State ok={database.ok} />
            </dd>
            <dt>Engine</dt>
            <dd>{database.engine}</dd>
            <dt>Answers in</dt>
            <dd class="number">{database.answer_ms} ms</dd>
            <dt>E-mail</dt>
            <dd>{health.mail ? 'is sent' : 'not set up: you hand links over yourself'}</dd>
          </dl>
        </section>
      </div>
    </>
  )
}

function State({ ok }: { ok: boolean }): JSX.Element {
  return ok ? <span class="badge good">well</span> : <span class="badge bad">not available</span>
}

function Meter({ value, max }: { value: number; max: number }): JSX.Element {
  return (
    <meter class="meter" min={0} max={Math.max(max, 1)} value={value} aria-label="Streams in use">
      {value} of {max}
    </meter>
  )
}
