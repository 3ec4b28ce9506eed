// A piece of code with a copy button, and several of them behind tabs.

import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import { CopyButton } from './copy-button.tsx'

export interface Snippet {
  readonly name: string
  readonly code: string
  /** What to do first, for instance install something. */
  readonly before?: string
  /** The file to save it in, and the command that runs it. */
  readonly file?: string
  readonly run?: string
}

interface CodeProps {
  code: string
  what: string
  /** The code itself, not what is done before or after it. */
  main?: boolean
}

function Code({ code, what, main = false }: CodeProps): JSX.Element {
  return (
    <div class={main ? 'code main' : 'code'}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} what={what} />
    </div>
  )
}

/** Prepare, save, run: each with its own copy button. */
function Steps({ snippet }: { snippet: Snippet }): JSX.Element {
  const { name, code, before, file, run } = snippet
  return (
    <>
      {before !== undefined && (
        <>
          <p class="code-name">Prepare</p>
          <Code code={before} what="the preparation" />
        </>
      )}
      {file !== undefined && (
        <p class="code-name">
          <span>
            Save as <code>{file}</code>
          </span>
        </p>
      )}
      <Code code={code} what={`the ${name} code`} main />
      {run !== undefined && (
        <>
          <p class="code-name">Run</p>
          <Code code={run} what="the command" />
        </>
      )}
    </>
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
        {shown !== undefined && <Steps snippet={shown} />}
      </div>
    </div>
  )
}
