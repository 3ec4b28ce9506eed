-- A session from its reservation to its end. The row is where HTTP (creates it) and the stream (redeems and ends it) meet.

-- A running process of the service. Active sessions of a node whose heartbeat stopped are failed by the others.
CREATE TABLE nodes (
  id uuid PRIMARY KEY,
  heartbeat_at timestamptz NOT NULL
);

CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  -- NULL: created in the console's playground by somebody who is signed in, without a key.
  api_key_id uuid REFERENCES api_keys,
  model text NOT NULL,
  status text NOT NULL
    CONSTRAINT sessions_status CHECK (status IN ('reserved', 'active', 'completed', 'failed', 'expired')),
  reserved_ms bigint NOT NULL CONSTRAINT sessions_reserved_whole_seconds CHECK (reserved_ms > 0 AND reserved_ms % 1000 = 0),
  audio_ms bigint NOT NULL DEFAULT 0 CONSTRAINT sessions_audio_not_negative CHECK (audio_ms >= 0),
  billable_ms bigint NOT NULL DEFAULT 0
    CONSTRAINT sessions_billable_within_reservation CHECK (billable_ms BETWEEN 0 AND reserved_ms AND billable_ms % 1000 = 0),
  created_at timestamptz NOT NULL,
  -- End of the credential's life; a session that is still reserved then is never opened.
  expires_at timestamptz NOT NULL,
  activated_at timestamptz,
  -- When it reached a final state, whichever.
  completed_at timestamptz,
  -- The fine reason of the end; `status` is what the interface shows of it.
  ending text,
  -- The node that made the reservation, then the node that runs the stream. No foreign key: nodes come and go.
  node_id uuid NOT NULL,
  CONSTRAINT sessions_opened CHECK ((activated_at IS NOT NULL) = (status IN ('active', 'completed', 'failed'))),
  CONSTRAINT sessions_ended CHECK ((completed_at IS NOT NULL) = (status IN ('completed', 'failed', 'expired'))),
  CONSTRAINT sessions_ending CHECK ((ending IS NOT NULL) = (completed_at IS NOT NULL))
);

CREATE INDEX sessions_newest ON sessions (account_id, created_at DESC, id DESC);
CREATE INDEX sessions_open_of_account ON sessions (account_id) WHERE status IN ('reserved', 'active');
CREATE INDEX sessions_open_of_node ON sessions (node_id) WHERE status IN ('reserved', 'active');
CREATE INDEX sessions_due ON sessions (expires_at) WHERE status = 'reserved';

-- What a repeated POST gets again (spec 4.2). The credential is not here: it is derived from the session.
CREATE TABLE idempotency_keys (
  account_id uuid NOT NULL REFERENCES accounts,
  key text NOT NULL,
  -- SHA-256 of the request after defaults.
  fingerprint bytea NOT NULL,
  session_id uuid NOT NULL REFERENCES sessions,
  -- What the answer said was left; the balance may have moved since.
  remaining_ms bigint NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT idempotency_keys_unique PRIMARY KEY (account_id, key)
);

CREATE INDEX idempotency_keys_due ON idempotency_keys (expires_at);
