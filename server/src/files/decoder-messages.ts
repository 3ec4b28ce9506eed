// What a decoder's process reports besides the sound, which it writes to its standard output.

/** Why a file cannot be heard; the words are codes of the error table. */
export type DecodingProblem = 'unsupported_audio' | 'undecodable_audio'

export interface DecodingFailed {
  readonly type: 'failed'
  readonly problem: DecodingProblem
  /** Safe to show. */
  readonly message?: string
}
