-- One-time codes (TOTP) as a second factor. The secret and the backup codes are encrypted under the server's secret.
ALTER TABLE users ADD COLUMN two_factor_enabled boolean NOT NULL DEFAULT false;

CREATE TABLE two_factors (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT two_factors_user_unique UNIQUE REFERENCES users ON DELETE CASCADE,
  secret text NOT NULL,
  backup_codes text NOT NULL,
  -- False until the first code was right.
  verified boolean NOT NULL DEFAULT false,
  failed_verification_count integer NOT NULL DEFAULT 0,
  locked_until timestamptz
);

-- What waits for a second step: whose password was right, and how many codes were wrong since.
CREATE TABLE auth_verifications (
  id uuid PRIMARY KEY,
  identifier text NOT NULL,
  value text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX auth_verifications_identifier ON auth_verifications (identifier);
