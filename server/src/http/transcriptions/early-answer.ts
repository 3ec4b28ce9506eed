// A transcript that takes long. Proxies hang up where nothing comes back for 60 s (nginx and the load balancers of clouds, unless they are told
// otherwise), Node's fetch after 300 s. So the answer begins before the transcript is there. From then on its status is 200; where the work fails,
// the connection breaks off.

import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

export interface Patience {
  /** From the end of the upload to the first sign. */
  readonly afterMs: number
  /** Between signs, where the form of the answer has room for them. */
  readonly everyMs: number
}

export const PATIENCE: Patience = { afterMs: 45_000, everyMs: 30_000 }

/** Whether the work still goes on so long after the upload. It may have failed before: then it does not go on. */
export async function isLong(
  work: Promise<unknown>,
  uploaded: Promise<unknown>,
  { afterMs }: Patience,
): Promise<boolean> {
  const over = new AbortController()
  const ended = work
    .then(
      () => false,
      () => false,
    )
    .finally(() => over.abort())
  const waited = uploaded.then(() => delay(afterMs, true, { signal: over.signal })).catch(() => ended)
  return Promise.race([ended, waited])
}

/** The text when it is there, and until then the filler from time to time. The first one sends the headers, even if it is empty. */
export function fillUntil(text: Promise<string>, filler: string, patience: Patience): Readable {
  // It may fail while the client is slow to read.
  text.catch(() => undefined)
  return Readable.from(signs(text, filler, patience))
}

async function* signs(text: Promise<string>, filler: string, { everyMs }: Patience): AsyncGenerator<string> {
  const over = new AbortController()
  try {
    for (;;) {
      yield filler
      const waited = delay(everyMs, undefined, { signal: over.signal })
      waited.catch(() => undefined)
      const found = await Promise.race([text, waited])
      if (found !== undefined) return yield found
    }
  } finally {
    over.abort()
  }
}
