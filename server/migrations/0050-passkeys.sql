-- Passkeys (WebAuthn): the public half of each, so nobody can sign in with a copy of this table.
CREATE TABLE passkeys (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL CONSTRAINT passkeys_name_length CHECK (length(name) BETWEEN 1 AND 80),
  credential_id text NOT NULL CONSTRAINT passkeys_credential_unique UNIQUE,
  public_key text NOT NULL,
  -- Of the authenticator: one that counts backwards was copied.
  counter bigint NOT NULL,
  device_type text NOT NULL,
  backed_up boolean NOT NULL,
  transports text,
  aaguid text,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz
);

CREATE INDEX passkeys_user ON passkeys (user_id, created_at);
