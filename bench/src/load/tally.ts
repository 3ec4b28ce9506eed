// What all callers and senders of files together have seen.

import { type Latencies, latenciesOf, type Utterance, withWordEndsOf } from './latency.ts'
import { compareWords, wordsOf } from './words.ts'

export class Tally {
  readonly latencies: Latencies[] = []
  readonly errors: Record<string, number> = {}
  readonly live = new Words()
  readonly inFiles = new Words()
  /** How many times faster than their length files were transcribed. */
  readonly fileSpeeds: number[] = []
  sessions = 0
  /** Callers that have a stream now. */
  open = 0
  /** Utterances whose text was the one that the service gave when it had nothing else to do. */
  readonly asAlone = { same: 0, different: 0 }

  hear(utterance: Utterance, alone: Utterance): void {
    const text = textOf(utterance)
    const hasWordEnds = utterance.wordEndsMs.length > 0
    this.latencies.push(latenciesOf(hasWordEnds ? utterance : withWordEndsOf(alone, utterance)))
    this.live.compare(utterance.reference, text)
    this.asAlone[textOf(alone) === text ? 'same' : 'different']++
  }

  hearFile(reference: string, text: string, speed: number): void {
    this.inFiles.compare(reference, text)
    this.fileSpeeds.push(speed)
  }

  fail(code: string): void {
    this.errors[code] = (this.errors[code] ?? 0) + 1
  }
}

function textOf({ events }: Utterance): string {
  return events.at(-1)!.text
}

export class Words {
  said = 0
  errors = 0

  compare(reference: string, text: string): void {
    const words = wordsOf(reference)
    this.said += words.length
    this.errors += compareWords(words, wordsOf(text)).errors
  }

  /** Word error rate in percent. */
  get errorPercent(): number {
    return this.said === 0 ? 0 : (this.errors / this.said) * 100
  }
}
