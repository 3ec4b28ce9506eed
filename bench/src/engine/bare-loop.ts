// A contender: the bare loop over ONNX Runtime. Its features are computed beforehand and not counted.

import { speech } from './clips.ts'
import { PlainDecoder } from './plain-decoder.ts'
import { serveRounds } from './round.ts'

const decoder = await PlainDecoder.open(process.argv[2]!)

serveRounds(({ lookAhead, chunks }) => {
  const windows = decoder.windows(speech(chunks * (lookAhead + 1) * 1280), lookAhead)
  return async () => (await decoder.decode(windows)).length
})
