-- Invitations to addresses that already have a sign-in. Nobody can accept them, since a person belongs to one account. They are kept so that
-- an owner who invites somebody sees the same as for any other address, and cannot find out who uses the service.
CREATE TABLE idle_invitations (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  name text NOT NULL,
  email text NOT NULL CONSTRAINT idle_invitations_email_lower CHECK (email = lower(email)),
  account_role text NOT NULL CONSTRAINT idle_invitations_role CHECK (account_role IN ('owner', 'member')),
  created_at timestamptz NOT NULL,
  CONSTRAINT idle_invitations_once UNIQUE (account_id, email)
);

CREATE INDEX idle_invitations_email ON idle_invitations (email);
