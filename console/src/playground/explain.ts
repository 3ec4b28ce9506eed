// What went wrong, in words that help the person in front of the page. Everything else says it well enough itself.

const WORDS: Record<string, string> = {
  concurrency_limit_exceeded:
    'This account is already streaming somewhere: another tab, or one of your servers. End that one, or wait a minute until an unused session runs out.',
  insufficient_credits: 'No credit is left. Ask the operator of this service for more.',
  account_inactive: 'This account is not active. Ask the operator of this service.',
  engine_unavailable: 'The recogniser for this language is not available right now. Try again in a moment.',
  capacity_exceeded: 'All places of the recogniser are taken right now. Try again in a moment.',
  audio_limit_reached: 'The time of this session is used up. What was said until then is above.',
  idle_timeout: 'The session ended because no sound arrived for a minute.',
  session_timeout: 'The session was open for too long and ended.',
  network_lost: 'The connection was lost. What was said until then is above; it is billed up to there.',
  connection_failed: 'The stream could not be opened. A firewall or proxy may block WebSocket connections.',
  expired_credential: 'It took more than a minute to begin, so the session ran out. Start again.',
  undecodable_audio:
    'This browser cannot read the sound of this file. WAV, MP3, M4A, OGG and FLAC usually work.',
}

export interface Trouble {
  readonly code: string
  readonly message: string
}

export function explain(error: unknown): Trouble {
  const { code = 'unexpected', message } = error as { code?: string; message?: string }
  return { code, message: WORDS[code] ?? message ?? 'Something went wrong.' }
}
