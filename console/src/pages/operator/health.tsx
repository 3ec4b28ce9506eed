// The health of the service: recogniser, database, email.

import type { Health, NodeList, NodeView } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { Page } from '../../app/frames.tsx'
import { useLoad, useRefresh } from '../../app/use-load.ts'
import { formatDuration, languageOf } from '../../ui/format.ts'
import { Notice, Shown } from '../../ui/notice.tsx'
import { Table } from '../../ui/table.tsx'
import { LiveFigures } from './live-figures.tsx'

export function HealthPage(): JSX.Element {
  const health = useLoad<Health>('/operator/health')
  useRefresh(health.reload, 5000)
  return (
    <Page title="Health">
      <Shown of={health}>
        {data => (
          <>
            <Report health={data} />
            <LiveFigures health={data} />
            <Nodes />
          </>
        )}
      </Shown>
    </Page>
  )
}

function Report({ health }: { health: Health }): JSX.Element {
  const { database, engine } = health
  return (
    <>
      <Notice tone={health.ready ? 'good' : 'bad'}>
        <p>
          <strong>
            {health.ready ? 'All systems are healthy.' : 'Not ready: new sessions are refused.'}
          </strong>{' '}
          Up for {formatDuration(health.uptime_seconds * 1000)}.
        </p>
      </Notice>
      <div class="split even">
        <section class="card" aria-labelledby="engine-title">
          <h2 id="engine-title">Recogniser</h2>
          <dl class="pairs">
            <dt>Status</dt>
            <dd>
              <State ok={engine.ok} />
            </dd>
            <dt>Streams</dt>
            <dd class="number">
              {engine.open_streams} of {engine.capacity}
              <Meter value={engine.open_streams} max={engine.capacity} />
            </dd>
            <dt>Models</dt>
            <dd>{engine.models.map(languageOf).join(', ') || 'None'}</dd>
            {engine.missing_models.length > 0 && (
              <>
                <dt>Missing</dt>
                <dd>{engine.missing_models.map(languageOf).join(', ')}</dd>
              </>
            )}
          </dl>
        </section>
        <section class="card" aria-labelledby="database-title">
          <h2 id="database-title">Database and email</h2>
          <dl class="pairs">
            <dt>Status</dt>
            <dd>
              <State ok={database.ok} />
            </dd>
            <dt>Database</dt>
            <dd>{database.engine === 'embedded' ? 'Embedded' : database.engine}</dd>
            <dt>Response time</dt>
            <dd class="number">{database.answer_ms} ms</dd>
            <dt>Email</dt>
            <dd>{health.mail ? 'Configured' : 'Not configured. You share links yourself.'}</dd>
          </dl>
        </section>
      </div>
    </>
  )
}

function Nodes(): JSX.Element {
  const nodes = useLoad<NodeList>('/operator/nodes')
  useRefresh(nodes.reload, 5000)
  return (
    <section class="card" aria-labelledby="nodes-title">
      <h2 id="nodes-title">Nodes</h2>
      <p class="small muted">
        Streams: open, of those that the node admits now. It admits the rest of its capacity once it has heard
        the first ones.
      </p>
      <Shown of={nodes}>{({ data }) => <NodeTable nodes={data} />}</Shown>
    </section>
  )
}

const NODE_TONES = { ready: 'badge good', draining: 'badge warn', gone: 'badge' } as const
const NODE_STATES = { ready: 'Ready', draining: 'Draining', gone: 'Gone' } as const

function NodeTable({ nodes }: { nodes: readonly NodeView[] }): JSX.Element {
  return (
    <Table
      heads={[
        'Node',
        'Status',
        'Version',
        { text: 'Streams', right: true },
        { text: 'Last seen', right: true },
      ]}
    >
      {nodes.map(node => (
        <tr key={node.id}>
          <td class="head">
            <span class="mono">{node.id.slice(0, 8)}</span>{' '}
            {node.url && <span class="muted">{node.url}</span>}
          </td>
          <td class="act">
            <span class={NODE_TONES[node.state]}>{NODE_STATES[node.state]}</span>
          </td>
          <td data-label="Version">{node.version}</td>
          <td data-label="Streams" class="number right">
            {node.open_streams} of {node.capacity}
          </td>
          <td data-label="Last seen" class="number right">
            {formatDuration(node.silent_ms)} ago
          </td>
        </tr>
      ))}
    </Table>
  )
}

function State({ ok }: { ok: boolean }): JSX.Element {
  return ok ? <span class="badge good">Healthy</span> : <span class="badge bad">Unavailable</span>
}

function Meter({ value, max }: { value: number; max: number }): JSX.Element {
  return (
    <meter class="meter" min={0} max={Math.max(max, 1)} value={value} aria-label="Streams in use">
      {value} of {max}
    </meter>
  )
}
