-- The people behind the accounts: who asked to join, who signs in, and what operators did.

CREATE TABLE users (
  id uuid PRIMARY KEY,
  name text NOT NULL CONSTRAINT users_name_length CHECK (length(name) BETWEEN 1 AND 100),
  -- Kept in lower case: one address is one person.
  email text NOT NULL CONSTRAINT users_email_unique UNIQUE CONSTRAINT users_email_lower CHECK (email = lower(email)),
  email_verified boolean NOT NULL DEFAULT false,
  image text,
  role text NOT NULL DEFAULT 'developer' CONSTRAINT users_role CHECK (role IN ('developer', 'operator')),
  -- The account whose keys and credit this person sees; an operator may have none.
  account_id uuid REFERENCES accounts,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT users_developer_has_account CHECK (role = 'operator' OR account_id IS NOT NULL)
);

CREATE INDEX users_account ON users (account_id);

-- One browser that is signed in. The cookie is the token under an HMAC of the server's secret, so a copy of this table
-- signs nobody in.
CREATE TABLE sign_ins (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  token text NOT NULL CONSTRAINT sign_ins_token_unique UNIQUE,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX sign_ins_user ON sign_ins (user_id, created_at DESC);
CREATE INDEX sign_ins_due ON sign_ins (expires_at);

-- Passwords, as salted scrypt hashes.
CREATE TABLE user_credentials (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  provider_id text NOT NULL,
  provider_account_id text NOT NULL,
  password text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT user_credentials_unique UNIQUE (user_id, provider_id)
);

-- One-use links with which a person chooses a password. Only the hash of the secret is kept.
CREATE TABLE password_links (
  token_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE INDEX password_links_user ON password_links (user_id);

-- The waitlist.
CREATE TABLE applications (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL CONSTRAINT applications_email_lower CHECK (email = lower(email)),
  organisation text NOT NULL,
  use_case text NOT NULL,
  status text NOT NULL DEFAULT 'waiting' CONSTRAINT applications_status CHECK (status IN ('waiting', 'approved', 'declined')),
  -- Of the cookie with which the applicant's browser asks for the decision.
  token_hash bytea NOT NULL CONSTRAINT applications_token_unique UNIQUE,
  created_at timestamptz NOT NULL,
  decided_at timestamptz,
  decided_by uuid REFERENCES users,
  account_id uuid REFERENCES accounts,
  CONSTRAINT applications_decided CHECK ((status = 'waiting') = (decided_at IS NULL))
);

-- One address waits once, however often it asks.
CREATE UNIQUE INDEX applications_waiting_once ON applications (email) WHERE status = 'waiting';
CREATE INDEX applications_newest ON applications (status, created_at DESC, id DESC);

-- What operators did, to whom, when. Written in the transaction of the deed itself, and never changed.
CREATE TABLE audit_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  -- NULL: done on the command line of the machine.
  operator_id uuid,
  operator_email text NOT NULL,
  action text NOT NULL,
  target text,
  details jsonb NOT NULL DEFAULT '{}'
);

CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
