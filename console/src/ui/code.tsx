// A piece of code with a copy button, and several of them behind tabs.

import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import { t } from '../texts/texts.ts'
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
  /** Of its copy button. */
  label: string
  /** The code itself, not what is done before or after it. */
  main?: boolean
  language?: string
}

function Code({ code, label, main = false, language = 'Shell' }: CodeProps): JSX.Element {
  return (
    <div class={main ? 'code main' : 'code'} data-language={language}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={label} />
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
          <p class="code-name">{t('code.prepare')}</p>
          <Code code={before} label={t('code.copy_preparation')} />
        </>
      )}
      {file !== undefined && (
        <p class="code-name">
          <span>
            {t('code.save_as')} <code>{file}</code>
          </span>
        </p>
      )}
      <Code code={code} label={t('code.copy_code', { name })} language={name} main />
      {run !== undefined && (
        <>
          <p class="code-name">{t('code.run')}</p>
          <Code code={run} label={t('code.copy_command')} />
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
      <div class="tabs" role="tablist" aria-label={t('code.tabs')} onKeyDown={move}>
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
