// Limits and timeouts of streams and connections.

import { factor, integer } from '../parse.ts'
import { duration, type SettingsTable, setting } from '../setting.ts'

export const STREAMS = {
  idleTimeoutMs: duration(
    'SAUTI_IDLE_TIMEOUT_SECONDS',
    60,
    'A stream that sends nothing for this long is closed.',
  ),
  pingIntervalMs: duration(
    'SAUTI_PING_INTERVAL_SECONDS',
    15,
    'Time between pings. Two missed pings end a session.',
  ),
  sessionTimeFactor: setting(
    'SAUTI_SESSION_TIME_FACTOR',
    factor(1, 100),
    2,
    'A session may stay open for its reserved audio times this factor, plus `SAUTI_SESSION_TIME_EXTRA_SECONDS`.',
  ),
  sessionTimeExtraMs: duration('SAUTI_SESSION_TIME_EXTRA_SECONDS', 120, 'See `SAUTI_SESSION_TIME_FACTOR`.'),
  maxQueuedAudioMs: duration(
    'SAUTI_MAX_QUEUED_AUDIO_SECONDS',
    10,
    'Audio per stream that may wait for the recogniser. Above this, the service reads from the socket more slowly.',
  ),
  maxUnsentBytes: setting(
    'SAUTI_MAX_UNSENT_BYTES',
    integer(16_384, 1 << 30),
    1 << 20,
    'Unsent events that may wait for a slow client. Above this, the session is closed.',
  ),
  maxHandshakes: setting(
    'SAUTI_MAX_HANDSHAKES',
    integer(1, 100_000),
    1000,
    'Maximum number of WebSocket handshakes in progress.',
  ),
  maxConnections: setting(
    'SAUTI_MAX_CONNECTIONS',
    integer(1, 1_000_000),
    10_000,
    'Maximum number of open connections, including streams.',
  ),
  maxConnectionsPerAddress: setting(
    'SAUTI_MAX_CONNECTIONS_PER_ADDRESS',
    integer(1, 1_000_000),
    1_000,
    'Maximum number of open connections per IP address. Trusted proxies have no limit, but each of their clients is limited to this number of streams.',
  ),
  drainTimeoutMs: duration(
    'SAUTI_DRAIN_SECONDS',
    30,
    'How long running streams may continue after `SIGTERM`.',
  ),
} as const satisfies SettingsTable
