// Puts a text on the clipboard and says so.

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export function CopyButton({ text, what }: { text: string; what: string }): JSX.Element {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), 2000)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState('done'),
      () => setState('failed'),
    )
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`Copy ${what}`}>
      <span aria-live="polite">
        {state === 'done' ? 'Copied' : state === 'failed' ? 'Select and copy by hand' : 'Copy'}
      </span>
    </button>
  )
}

/** A secret or link that is shown once, with its copy button. */
export function CopyLine({ text, what }: { text: string; what: string }): JSX.Element {
  return (
    <div class="secret">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </div>
  )
}
