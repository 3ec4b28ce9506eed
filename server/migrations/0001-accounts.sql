-- Who may call, and what they may spend. All amounts are integer milliseconds of audio.

CREATE TABLE accounts (
  id uuid PRIMARY KEY,
  name text NOT NULL CONSTRAINT accounts_name_length CHECK (length(name) BETWEEN 1 AND 200),
  active boolean NOT NULL DEFAULT true,
  -- How many reserved or active sessions the account may have at once.
  concurrency_limit integer NOT NULL DEFAULT 1 CONSTRAINT accounts_concurrency_limit CHECK (concurrency_limit >= 1),
  -- The balance: a running sum of ledger_entries, kept by a trigger there and changed by nothing else.
  granted_ms bigint NOT NULL DEFAULT 0,
  available_ms bigint NOT NULL DEFAULT 0 CONSTRAINT accounts_available_not_negative CHECK (available_ms >= 0),
  reserved_ms bigint NOT NULL DEFAULT 0 CONSTRAINT accounts_reserved_not_negative CHECK (reserved_ms >= 0),
  consumed_ms bigint NOT NULL DEFAULT 0 CONSTRAINT accounts_consumed_not_negative CHECK (consumed_ms >= 0),
  created_at timestamptz NOT NULL,
  CONSTRAINT accounts_balanced CHECK (available_ms + reserved_ms + consumed_ms = granted_ms)
);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  name text NOT NULL CONSTRAINT api_keys_name_length CHECK (length(name) <= 200),
  -- SHA-256 of the key. The key itself has 256 random bits, so a plain hash cannot be searched backwards.
  hash bytea NOT NULL CONSTRAINT api_keys_hash_unique UNIQUE,
  -- The first characters after the prefix, so that people can tell their keys apart.
  hint text NOT NULL,
  -- Models that the key may use; NULL: all.
  models text[],
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);

CREATE INDEX api_keys_account ON api_keys (account_id);
