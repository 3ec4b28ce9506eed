// Copies a text to the clipboard and confirms it.

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

interface Props {
  text: string
  what: string
  onCopied?: () => void
}

export function CopyButton({ text, what, onCopied }: Props): JSX.Element {
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
    <button type="button" class="copy" onClick={copy} aria-label={`Copy ${what}`}>
      <span aria-live="polite">
        {state === 'done' ? 'Copied' : state === 'failed' ? 'Copy failed' : 'Copy'}
      </span>
    </button>
  )
}

/** A secret or link that is shown once, with its copy button. */
export function CopyLine({ text, what, onCopied }: Props): JSX.Element {
  return (
    <div class="secret">
      <code>{text}</code>
      <CopyButton text={text} what={what} {...(onCopied && { onCopied })} />
    </div>
  )
}
