-- The two movements of a session's credit, each one round trip and one transaction.
--
-- One lock rules both: the row of the account, taken first. Whoever holds it is alone with the account's money and open
-- sessions, so what is counted stays true until commit, and as nobody takes a session's row before its account's, nobody
-- waits in a circle. FOR NO KEY UPDATE leaves the foreign keys of other inserts free. The functions are VOLATILE and run
-- under READ COMMITTED, so each statement after the lock sees what its previous holder committed; one plain SELECT or
-- CTE would still see the state from before it waited.

-- Ends a session and resolves its reservation. False when it is no longer in `from_status`: somebody else ended it.
CREATE FUNCTION end_session(
  p_session_id uuid, p_from_status text, p_to_status text, p_ending text, p_audio_ms bigint, p_billable_ms bigint, p_now timestamptz
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  session sessions;
BEGIN
  PERFORM FROM accounts WHERE id = (SELECT account_id FROM sessions WHERE id = p_session_id) FOR NO KEY UPDATE;
  UPDATE sessions SET
    status = p_to_status,
    ending = p_ending,
    audio_ms = p_audio_ms,
    billable_ms = least(p_billable_ms, reserved_ms),
    completed_at = p_now
  WHERE id = p_session_id AND status = p_from_status
  RETURNING * INTO session;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO ledger_entries (account_id, session_id, kind, available_ms, reserved_ms, consumed_ms, created_at)
  VALUES (
    session.account_id, session.id, CASE WHEN session.billable_ms > 0 THEN 'settle' ELSE 'release' END,
    session.reserved_ms - session.billable_ms, -session.reserved_ms, session.billable_ms, p_now
  );
  RETURN true;
END $$;

CREATE TYPE reservation AS (
  -- reserved, replayed, or the code of the refusal.
  outcome text,
  session_id uuid,
  expires_at timestamptz,
  reserved_ms bigint,
  remaining_ms bigint,
  -- With concurrency_limit_exceeded: when the next unopened reservation expires, if there is one.
  slot_free_at timestamptz
);

-- Reserves credit for a new session, or says why not, in the order of the interface: replay or conflict, rate, concurrency,
-- credit, capacity. What only the caller knows comes in: whether the request is within its rate, and how many open
-- sessions this node can carry. Two nodes, or two accounts on one node, may pass the capacity check at the same moment and
-- overshoot by one: it protects the recogniser's queue, not money, and is not worth a lock over all accounts.
CREATE FUNCTION reserve_session(
  p_session_id uuid, p_account_id uuid, p_api_key_id uuid, p_model text, p_requested_ms bigint, p_node_id uuid,
  p_node_room integer, p_within_rate boolean, p_idempotency_key text, p_fingerprint bytea, p_now timestamptz, p_expires_at timestamptz
) RETURNS reservation LANGUAGE plpgsql AS $$
DECLARE
  account accounts;
  answer reservation;
  known_fingerprint bytea;
BEGIN
  SELECT * INTO account FROM accounts WHERE id = p_account_id FOR NO KEY UPDATE;
  IF account.active IS NOT TRUE THEN
    answer.outcome := 'account_inactive';
    RETURN answer;
  END IF;

  IF p_idempotency_key IS NOT NULL THEN
    SELECT i.fingerprint, s.id, s.expires_at, s.reserved_ms, i.remaining_ms
      INTO known_fingerprint, answer.session_id, answer.expires_at, answer.reserved_ms, answer.remaining_ms
      FROM idempotency_keys i JOIN sessions s ON s.id = i.session_id
      WHERE i.account_id = p_account_id AND i.key = p_idempotency_key AND i.expires_at > p_now;
    IF FOUND THEN
      answer.outcome := CASE WHEN known_fingerprint = p_fingerprint THEN 'replayed' ELSE 'idempotency_conflict' END;
      RETURN answer;
    END IF;
  END IF;

  IF NOT p_within_rate THEN
    answer.outcome := 'request_rate_exceeded';
    RETURN answer;
  END IF;

  -- A reservation that is over frees its slot and credit now, not when the sweep comes by.
  PERFORM end_session(id, 'reserved', 'expired', 'never_opened', 0, 0, p_now)
    FROM sessions WHERE account_id = p_account_id AND status = 'reserved' AND expires_at <= p_now;

  IF (SELECT count(*) FROM sessions WHERE account_id = p_account_id AND status IN ('reserved', 'active'))
      >= account.concurrency_limit THEN
    answer.outcome := 'concurrency_limit_exceeded';
    answer.slot_free_at := (SELECT min(expires_at) FROM sessions WHERE account_id = p_account_id AND status = 'reserved');
    RETURN answer;
  END IF;

  SELECT available_ms INTO account.available_ms FROM accounts WHERE id = p_account_id;
  answer.reserved_ms := least(p_requested_ms, account.available_ms / 1000 * 1000);
  IF answer.reserved_ms < 1000 THEN
    answer.outcome := 'insufficient_credits';
    RETURN answer;
  END IF;

  IF (SELECT count(*) FROM sessions WHERE node_id = p_node_id AND status IN ('reserved', 'active')
        AND (status = 'active' OR expires_at > p_now)) >= p_node_room THEN
    answer.outcome := 'capacity_exceeded';
    RETURN answer;
  END IF;

  INSERT INTO sessions (id, account_id, api_key_id, model, status, reserved_ms, created_at, expires_at, node_id)
  VALUES (p_session_id, p_account_id, p_api_key_id, p_model, 'reserved', answer.reserved_ms, p_now, p_expires_at, p_node_id);
  INSERT INTO ledger_entries (account_id, session_id, kind, available_ms, reserved_ms, consumed_ms, created_at)
  VALUES (p_account_id, p_session_id, 'reserve', -answer.reserved_ms, answer.reserved_ms, 0, p_now);

  answer.outcome := 'reserved';
  answer.session_id := p_session_id;
  answer.expires_at := p_expires_at;
  answer.remaining_ms := account.available_ms - answer.reserved_ms;
  IF p_idempotency_key IS NOT NULL THEN
    -- A row in the way has expired, or the replay above would have found it.
    INSERT INTO idempotency_keys (account_id, key, fingerprint, session_id, remaining_ms, expires_at)
    VALUES (p_account_id, p_idempotency_key, p_fingerprint, p_session_id, answer.remaining_ms, p_expires_at)
    ON CONFLICT ON CONSTRAINT idempotency_keys_unique DO UPDATE SET
      fingerprint = excluded.fingerprint, session_id = excluded.session_id,
      remaining_ms = excluded.remaining_ms, expires_at = excluded.expires_at;
  END IF;
  RETURN answer;
END $$;
