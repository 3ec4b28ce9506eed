-- Several people on one account, requests for more credit, and the notice that credit runs low.

-- An owner invites and removes people; a member uses the account. Whoever was there before is an owner.
ALTER TABLE users ADD COLUMN account_role text NOT NULL DEFAULT 'owner'
  CONSTRAINT users_account_role CHECK (account_role IN ('owner', 'member'));

-- Somebody asks the operators for more credit. The note goes with the person who wrote it.
CREATE TABLE credit_requests (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  note text NOT NULL CONSTRAINT credit_requests_note_length CHECK (length(note) <= 500),
  status text NOT NULL DEFAULT 'waiting'
    CONSTRAINT credit_requests_status CHECK (status IN ('waiting', 'granted', 'dismissed')),
  created_at timestamptz NOT NULL,
  decided_at timestamptz,
  CONSTRAINT credit_requests_decided CHECK ((status = 'waiting') = (decided_at IS NULL))
);

-- An account waits once, however often its people ask.
CREATE UNIQUE INDEX credit_requests_waiting_once ON credit_requests (account_id) WHERE status = 'waiting';
CREATE INDEX credit_requests_user ON credit_requests (user_id);

-- Which notice was sent last; NULL: none since there was enough credit. One statement changes it, so that of several nodes one
-- sends the email.
ALTER TABLE accounts ADD COLUMN credit_notice text
  CONSTRAINT accounts_credit_notice CHECK (credit_notice IN ('low', 'empty'));
