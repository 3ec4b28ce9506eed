// A table that becomes a list of small cards on a phone: see `.table.cards`.

import type { ComponentChildren, JSX } from 'preact'

interface Head {
  readonly text: string
  /** Of a column of numbers. */
  readonly right?: boolean
  /** Only for those who do not see the column. */
  readonly unseen?: boolean
}

interface Props {
  heads: readonly (string | Head)[]
  /** Rows. */
  children: ComponentChildren
}

export function Table({ heads, children }: Props): JSX.Element {
  return (
    <table class="table cards">
      <thead>
        <tr>
          {heads.map(head => (typeof head === 'string' ? <HeadCell text={head} /> : <HeadCell {...head} />))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

function HeadCell({ text, right = false, unseen = false }: Head): JSX.Element {
  return (
    <th {...(right && { class: 'right' })}>{unseen ? <span class="visually-hidden">{text}</span> : text}</th>
  )
}
