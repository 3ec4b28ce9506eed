// A rule is one sentence of the interface that can be seen from outside. It checks the recording of a scene, which is run once for
// all of its rules: so a run needs few sessions and few seconds of audio.

import type { Playable } from './world.ts'

export interface Cost {
  readonly sessions: number
  /** Of audio, at most. */
  readonly seconds: number
}

export interface Scene<Recording> extends Playable<Recording> {
  readonly name: string
  readonly cost: Cost
  readonly needs?: readonly Scene<unknown>[]
  /** Takes more than a minute: only with --slow. */
  readonly slow?: true
}

export interface Rule {
  readonly id: string
  /** Where it is written: a section of the specification, or of the decisions beside it. */
  readonly section: string
  readonly text: string
  readonly scene: Scene<unknown>
  /** Throws what it found instead. */
  look(recording: unknown): void
}

type RuleOf<Recording> = Omit<Rule, 'scene' | 'look'> & { look(recording: Recording): void }

export const FREE: Cost = { sessions: 0, seconds: 0 }

export function rulesOf<Recording>(
  scene: Scene<Recording>,
  rules: readonly RuleOf<Recording>[],
): readonly Rule[] {
  return rules.map(({ look, ...rule }) => ({
    ...rule,
    scene,
    look: recording => look(recording as Recording),
  }))
}
