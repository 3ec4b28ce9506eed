-- Streams that pay as they go reserve a minute at a time: the open session's reservation grows by one entry of the kind `extend`. The
-- session is still reserved once and resolved once, by the sum of both. An older program never writes the new kind and reads it as any entry.
--
--   kind     available  reserved  consumed
--   extend      -a        +a         0       more is reserved for an open session

ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_shape;
ALTER TABLE ledger_entries ADD CONSTRAINT ledger_entries_shape CHECK (CASE kind
  WHEN 'grant' THEN available_ms > 0 AND reserved_ms = 0 AND consumed_ms = 0
  WHEN 'reserve' THEN reserved_ms > 0 AND available_ms = -reserved_ms AND consumed_ms = 0
  WHEN 'extend' THEN reserved_ms > 0 AND available_ms = -reserved_ms AND consumed_ms = 0
  WHEN 'settle' THEN reserved_ms < 0 AND consumed_ms > 0 AND available_ms >= 0 AND available_ms + reserved_ms + consumed_ms = 0
  WHEN 'release' THEN reserved_ms < 0 AND available_ms = -reserved_ms AND consumed_ms = 0
  ELSE false
END);

-- Reserves more for an open session, in whole seconds and at most what the account has. Returns what it gained: 0 when there is less than
-- a second, the account is not active or the session has ended. Takes the account's row first, as every movement of credit does.
CREATE FUNCTION extend_session(p_session_id uuid, p_requested_ms bigint, p_now timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  account accounts;
  gained bigint;
BEGIN
  SELECT * INTO account FROM accounts
    WHERE id = (SELECT account_id FROM sessions WHERE id = p_session_id) FOR NO KEY UPDATE;
  gained := least(p_requested_ms, account.available_ms) / 1000 * 1000;
  IF account.active IS NOT TRUE OR gained < 1000 THEN
    RETURN 0;
  END IF;
  UPDATE sessions SET reserved_ms = reserved_ms + gained WHERE id = p_session_id AND status = 'active';
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  INSERT INTO ledger_entries (account_id, session_id, kind, available_ms, reserved_ms, consumed_ms, created_at)
  VALUES (account.id, p_session_id, 'extend', -gained, gained, 0, p_now);
  RETURN gained;
END $$;
