-- What nodes tell each other: how much of an account's rates each has seen, and that somebody was revoked.

-- Each node's own count of the last window, by rate and account, told once a second while there is one. Unlogged: it is about the
-- last minute only, costs no log and no replication, and is empty after a crash.
CREATE UNLOGGED TABLE request_counts (
  node_id uuid NOT NULL,
  rate text NOT NULL,
  account_id uuid NOT NULL,
  requests integer NOT NULL,
  -- When the oldest of them leaves the window, and one more is allowed.
  next_free_at timestamptz NOT NULL,
  told_at timestamptz NOT NULL,
  CONSTRAINT request_counts_pkey PRIMARY KEY (account_id, rate, node_id)
);

-- Nodes that listen close the streams of a revoked key or account at once; those that missed it notice when they look.
CREATE FUNCTION notify_revoked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('sauti_revoked', '');
  RETURN NULL;
END $$;

CREATE TRIGGER api_keys_revoked AFTER UPDATE OF revoked_at ON api_keys
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION notify_revoked();

CREATE TRIGGER accounts_deactivated AFTER UPDATE OF active ON accounts
  FOR EACH ROW WHEN (OLD.active AND NOT NEW.active) EXECUTE FUNCTION notify_revoked();
