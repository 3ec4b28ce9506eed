// A contender: sherpa-onnx with the same files. It has one look-ahead, 13.

import { speech } from './clips.ts'
import { serveRounds } from './round.ts'
import { Sherpa } from './sherpa.ts'

const sherpa = new Sherpa(process.argv[2]!)

serveRounds(({ chunks }) => {
  const audio = speech(chunks * 17_920)
  return async () => sherpa.hear(audio).text.length
})
