// A piece of code with a copy button, and several of them behind tabs.

import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import { CopyButton } from './copy-button.tsx'

export interface Snippet {
  readonly name: string
  readonly code: string
}

function Code({ code, what = 'the code' }: { code: string; what?: string }): JSX.Element {
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} what={what} />
    </div>
  )
}

export function Snippets({ snippets }: { snippets: readonly Snippet[] }): JSX.Element {
  const [at, setAt] = useState(0)
  const id = useId()
  const shown = snippets[at]
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    const next = (at + step + snippets.length) % snippets.length
    setAt(next)
    document.getElementById(`${id}-tab-${next}`)?.focus()
  }
  return (
    <div>
      <div class="tabs" role="tablist" aria-label="Language" onKeyDown={move}>
        {snippets.map((snippet, index) => (
          <button
            key={snippet.name}
            id={`${id}-tab-${index}`}
            type="button"
            role="tab"
            aria-selected={index === at}
            aria-controls={`${id}-panel`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => setAt(index)}
          >
            {snippet.name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${at}`}>
        {shown !== undefined && <Code code={shown.code} what={`the ${shown.name} code`} />}
      </div>
    </div>
  )
}
