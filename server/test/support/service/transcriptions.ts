// Files for the transcription of files, and its routes on a control plane that has no engines.

import type { FastifyInstance } from 'fastify'
import { FileJobs } from '#server/files/jobs.js'
import { serveListen } from '#server/http/listen/route.js'
import type { HttpParts } from '#server/http/parts.js'
import type { Patience } from '#server/http/transcriptions/early-answer.js'
import { serveTranscriptions } from '#server/http/transcriptions/route.js'
import { settle } from '#server/ledger/settle.js'
import { ScriptedRecogniser } from '../recogniser/scripted-recogniser.ts'

/** Mono, 16 kHz, 16 bits. */
export function makeSilentWav(samples: number): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + samples * 2, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(16_000, 24)
  header.writeUInt32LE(32_000, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(samples * 2, 40)
  return Buffer.concat([header, Buffer.alloc(samples * 2)])
}

interface TestHooks {
  readonly recogniser?: ScriptedRecogniser
  readonly patience?: Patience
}

export function serveTestTranscriptions(
  app: FastifyInstance,
  parts: HttpParts,
  limits: { readonly fileMaxMs: number; readonly fileMaxBytes: number },
  { recogniser = new ScriptedRecogniser(), ...held }: TestHooks = {},
): void {
  const files = new FileJobs({
    ...parts,
    recogniser,
    settings: { filesAtOnce: 2, ...limits },
    async settle(sessionId, ending, acceptedSamples) {
      await settle(parts.db, { sessionId, ending, acceptedSamples, now: parts.clock() })
    },
  })
  const fileParts = { ...parts, ...held, files, fileSettings: limits }
  serveTranscriptions(app, fileParts)
  serveListen(app, fileParts)
}
