// Copies a text to the clipboard and confirms it.

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { t } from '../texts/texts.ts'

interface Props {
  text: string
  /** What the button says to those who do not see what stands beside it: “Copy the key”. */
  label: string
  onCopied?: () => void
}

const TEXTS = { idle: 'common.copy', done: 'common.copied', failed: 'common.copy_failed' } as const

export function CopyButton({ text, label, onCopied }: Props): JSX.Element {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), 2000)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => {
        setState('done')
        onCopied?.()
      },
      () => setState('failed'),
    )
  return (
    <button type="button" class="copy" onClick={copy} aria-label={label}>
      <span aria-live="polite">{t(TEXTS[state])}</span>
    </button>
  )
}

/** A secret or link that is shown once, with its copy button. */
export function CopyLine({ text, label, onCopied }: Props): JSX.Element {
  return (
    <div class="secret">
      <code>{text}</code>
      <CopyButton text={text} label={label} {...(onCopied && { onCopied })} />
    </div>
  )
}
