// What is known of the files of packages that are opened together. Languages of one network share its files, and a start waits until they
// have been read, so each is read once for all of them.

import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { describeOnnx, type OnnxDescription } from './onnx-metadata.ts'

/** One buffer for the whole file: a new one for each part of it costs as much time as the hash, and memory that stays. */
const BUFFER_BYTES = 256 * 1024

export class FileFacts {
  readonly #hashes = new Map<string, Promise<string>>()
  readonly #graphs = new Map<string, OnnxDescription>()

  sha256(path: string): Promise<string> {
    let hash = this.#hashes.get(path)
    if (hash === undefined) {
      hash = sha256Of(path)
      this.#hashes.set(path, hash)
    }
    return hash
  }

  /** Throws as describeOnnx does. */
  graph(path: string): OnnxDescription {
    let graph = this.#graphs.get(path)
    if (graph === undefined) {
      graph = describeOnnx(path)
      this.#graphs.set(path, graph)
    }
    return graph
  }
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  const file = await open(path)
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, BUFFER_BYTES)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(buffer.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}
