// What was said. Finished words tell their time and confidence and play from there; what is still being heard is lighter, and
// what changed last is marked.

import type { ContinuousFinal, Word } from '@sauti/client'
import { Fragment, type JSX } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../texts/texts.ts'

const DOUBTFUL = 0.6

interface TranscriptProps {
  finals: readonly ContinuousFinal[]
  steady: string
  changing: string
  listening: boolean
  /** Of what is spoken: ki or luo. */
  language: string
  /** Where the recording plays, while it does. */
  playedMs: number | undefined
  /** Plays from a word; undefined while there is nothing to play. */
  onPlay: ((fromMs: number) => void) | undefined
}

export function Transcript(props: TranscriptProps): JSX.Element {
  const { finals, steady, changing, listening, language } = props
  const [word, setWord] = useState<Word>()
  const words = finals.flatMap(final => final.words)
  const isEmpty = words.length === 0 && steady === '' && changing === ''
  const isOver = !listening && finals.length > 0
  return (
    <>
      <div class="transcript">
        {isEmpty && <span class="muted">{t(isOver ? 'playground.nothing' : 'playground.empty')}</span>}
        <span lang={language}>
          <Words
            words={words}
            starts={startsOf(finals)}
            playedMs={props.playedMs}
            onPick={setWord}
            onPlay={props.onPlay}
          />
          {(steady !== '' || changing !== '') && (
            <span class="tentative">
              {words.length > 0 && <br />}
              {steady}
              <mark>{changing}</mark>
            </span>
          )}
        </span>
      </div>
      <p class="word-facts" role="status">
        {word !== undefined ? describe(word) : hintFor(words)}
      </p>
      <div class="visually-hidden" aria-live="polite" lang={language}>
        {finals.at(-1)?.text ?? ''}
      </div>
    </>
  )
}

/** What the words do, and what the dots below some of them mean. */
function hintFor(words: readonly Word[]): string {
  if (words.length === 0) return ' '
  const hint = t('playground.word_hint')
  return words.some(isDoubtful) ? `${hint} ${t('playground.confidence')}` : hint
}

const isDoubtful = (word: Word) => word.confidence < DOUBTFUL

/** The words that begin a sentence after another one: they begin a line, as in the downloaded text. */
function startsOf(finals: readonly ContinuousFinal[]): ReadonlySet<Word> {
  const first = finals.flatMap(({ words }) => words.slice(0, 1))
  return new Set(first.slice(1))
}

interface WordsProps {
  words: readonly Word[]
  starts: ReadonlySet<Word>
  playedMs: number | undefined
  onPick: (word: Word | undefined) => void
  onPlay: ((fromMs: number) => void) | undefined
}

/** One stop for the tab key; arrows move from word to word. */
function Words({ words, starts, playedMs, onPick, onPlay }: WordsProps): JSX.Element {
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
          {starts.has(word) && <br />}
          <button
            type="button"
            class={classOf(word, playedMs)}
            tabIndex={index === Math.min(at, words.length - 1) ? 0 : -1}
            onKeyDown={move}
            onClick={() => onPlay?.(word.start_ms)}
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

function classOf(word: Word, playedMs: number | undefined): string {
  const isPlayed = playedMs !== undefined && word.start_ms <= playedMs && playedMs < word.end_ms
  return `word${isDoubtful(word) ? ' doubtful' : ''}${isPlayed ? ' playing' : ''}`
}

function describe(word: Word): string {
  const seconds = (ms: number) => (ms / 1000).toFixed(2)
  return t('playground.word_facts', {
    word: word.text,
    start: seconds(word.start_ms),
    end: seconds(word.end_ms),
    confidence: Math.round(word.confidence * 100),
  })
}
