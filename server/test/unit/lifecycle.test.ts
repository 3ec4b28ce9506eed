import { describe, expect, it } from 'vitest'
import { assessAudio, ENDINGS, type Ending } from '#server/sessions/lifecycle.js'

describe('the life of a session', () => {
  // The table of decisions "Session states and money".
  it.each<[Ending, string, number]>([
    ['client_closed', 'completed', 2000],
    ['client_vanished', 'completed', 2000],
    ['audio_limit_reached', 'completed', 2000],
    ['idle_timeout', 'completed', 2000],
    ['session_timeout', 'completed', 2000],
    ['slow_consumer', 'completed', 2000],
    ['account_inactive', 'completed', 2000],
    ['key_revoked', 'completed', 2000],
    ['frame_too_large', 'failed', 2000],
    ['message_too_large', 'failed', 2000],
    ['too_many_invalid_messages', 'failed', 2000],
    ['engine_unavailable', 'failed', 0],
    ['internal_error', 'failed', 0],
    ['server_restarting', 'failed', 0],
    ['node_died', 'failed', 0],
    ['never_opened', 'expired', 0],
    ['cancelled', 'expired', 0],
  ])('%s is %s and bills 1.5 s of audio as %i ms', (ending, status, billableMs) => {
    expect(ENDINGS[ending].to).toBe(status)
    expect(assessAudio(ending, 24_000)).toEqual({ audioMs: 1500, billableMs })
  })

  it('bills nothing where nothing was accepted', () => {
    for (const ending of Object.keys(ENDINGS) as Ending[]) {
      expect(assessAudio(ending, 0)).toEqual({ audioMs: 0, billableMs: 0 })
    }
  })
})
