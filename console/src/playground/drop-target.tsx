// A card onto which a file can be dropped.

import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../texts/texts.ts'

interface Props {
  label: string
  disabled: boolean
  onFile: (file: File) => void
  children: ComponentChildren
}

export function DropTarget({ label, disabled, onFile, children }: Props): JSX.Element {
  const [over, setOver] = useState(false)
  const hover = (event: DragEvent) => {
    if (disabled || event.dataTransfer?.types.includes('Files') !== true) return
    event.preventDefault()
    setOver(true)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer?.files[0]
    if (file !== undefined && !disabled) onFile(file)
  }
  return (
    <section
      class={over ? 'card drop over' : 'card drop'}
      aria-label={label}
      onDragOver={hover}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {children}
      {!disabled && (
        <p class="small muted drop-hint">{over ? t('playground.drop') : t('playground.drop_hint')}</p>
      )}
    </section>
  )
}
