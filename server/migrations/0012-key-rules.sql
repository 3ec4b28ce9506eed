-- Rules of a key besides its models and its end: how much audio it may use in a calendar month (UTC), and from where.

ALTER TABLE api_keys
  -- NULL: only the credit of the account limits it.
  ADD COLUMN monthly_limit_ms bigint CONSTRAINT api_keys_monthly_limit CHECK (monthly_limit_ms > 0),
  -- Addresses and networks (CIDR) that may use it. NULL: any.
  ADD COLUMN allowed_addresses text[],
  -- The key that this one was replaced by; it goes on until it expires.
  ADD COLUMN replaced_by uuid REFERENCES api_keys,
  ADD COLUMN last_used_address text;

-- From where a key was used, and when last.
CREATE TABLE api_key_uses (
  api_key_id uuid NOT NULL REFERENCES api_keys,
  address text NOT NULL,
  last_used_at timestamptz NOT NULL,
  PRIMARY KEY (api_key_id, address)
);

CREATE INDEX sessions_of_key ON sessions (api_key_id, created_at);

-- What a key may still reserve in this month; NULL where it has no limit of its own. Locks the account's row, as every movement of
-- credit does first, so that what is counted stays true until the transaction ends.
CREATE FUNCTION key_room_ms(p_api_key_id uuid, p_now timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  key api_keys;
BEGIN
  SELECT * INTO key FROM api_keys WHERE id = p_api_key_id;
  IF key.monthly_limit_ms IS NULL THEN
    RETURN NULL;
  END IF;
  PERFORM FROM accounts WHERE id = key.account_id FOR NO KEY UPDATE;
  RETURN key.monthly_limit_ms - (
    SELECT coalesce(sum(CASE WHEN status IN ('reserved', 'active') THEN reserved_ms ELSE billable_ms END), 0)
    FROM sessions
    WHERE api_key_id = p_api_key_id AND created_at >= date_trunc('month', p_now AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
      AND NOT (status = 'reserved' AND expires_at <= p_now)
  );
END $$;
