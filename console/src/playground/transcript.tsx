// What was said. Finished words stand in ink and tell their time and confidence; what is still being heard is lighter, and
// what changed last is marked.

import type { FinalEvent, Word } from '@sauti/client'
import { Fragment, type JSX } from 'preact'
import { useState } from 'preact/hooks'

const DOUBTFUL = 0.6

interface TranscriptProps {
  finals: readonly FinalEvent[]
  /** The utterance under way: what held still, and what just changed. */
  steady: string
  changing: string
  listening: boolean
}

export function Transcript({ finals, steady, changing, listening }: TranscriptProps): JSX.Element {
  const [word, setWord] = useState<Word>()
  const words = finals.flatMap(final => final.words)
  const isEmpty = words.length === 0 && steady === '' && changing === ''
  return (
    <>
      <div class="transcript" lang="mul">
        {isEmpty && (
          <span class="muted">
            {listening
              ? 'Listening…'
              : finals.length > 0
                ? 'Nothing was understood.'
                : 'The transcript appears here.'}
          </span>
        )}
        <Words words={words} onPick={setWord} />
        {(steady !== '' || changing !== '') && (
          <span class="tentative">
            {steady}
            <mark>{changing}</mark>
          </span>
        )}
      </div>
      <p class="word-facts" role="status">
        {word === undefined
          ? words.length > 0
            ? 'Point at a word, or use the arrow keys, to see its time.'
            : ' '
          : describe(word)}
      </p>
      <div class="visually-hidden" aria-live="polite">
        {finals.at(-1)?.text ?? ''}
      </div>
    </>
  )
}

interface WordsProps {
  words: readonly Word[]
  onPick: (word: Word | undefined) => void
}

/** One stop for the tab key; arrows move from word to word. */
function Words({ words, onPick }: WordsProps): JSX.Element {
  const [at, setAt] = useState(0)
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const next = at + step
    if (step === 0 || next < 0 || next >= words.length) return
    event.preventDefault()
    setAt(next)
    const buttons = (event.currentTarget as HTMLElement).parentElement?.querySelectorAll('button')
    buttons?.[next]?.focus()
  }
  return (
    <span class="words">
      {words.map((word, index) => (
        <Fragment key={index}>
          <button
            type="button"
            class={word.confidence < DOUBTFUL ? 'word doubtful' : 'word'}
            tabIndex={index === Math.min(at, words.length - 1) ? 0 : -1}
            onKeyDown={move}
            onPointerEnter={() => onPick(word)}
            onPointerLeave={() => onPick(undefined)}
            onFocus={() => {
              setAt(index)
              onPick(word)
            }}
          >
            {word.text}
          </button>{' '}
        </Fragment>
      ))}
    </span>
  )
}

function describe(word: Word): string {
  const seconds = (ms: number) => (ms / 1000).toFixed(2)
  const confidence = Math.round(word.confidence * 100)
  return `“${word.text}”: ${seconds(word.start_ms)} to ${seconds(word.end_ms)} s, ${confidence} % confident`
}
