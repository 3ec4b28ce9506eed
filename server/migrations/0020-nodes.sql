-- Many nodes on one database: what each can carry, where a session is placed, and who may still speak for a session.
--
-- The previous release lives on beside this one: it beats with its id and time alone, creates with reserve_session and settles
-- with end_session, which stay as they are. Its nodes have capacity 0 here, so nobody places a session on them.

ALTER TABLE nodes
  ADD COLUMN version text NOT NULL DEFAULT '',
  -- Where clients reach the streams of this node: an address of its own, or the one that all nodes share.
  ADD COLUMN url text,
  ADD COLUMN models text[] NOT NULL DEFAULT '{}',
  -- Streams that it can carry, and streams that are open, as of the last sign of life.
  ADD COLUMN capacity integer NOT NULL DEFAULT 0,
  ADD COLUMN open_streams integer NOT NULL DEFAULT 0,
  -- How many of its sessions ended within the last minute; tells somebody who is refused when to ask again.
  ADD COLUMN ended_last_minute integer NOT NULL DEFAULT 0,
  -- gone is final: a node that is taken for dead, and is not, must come back under another id.
  ADD COLUMN state text NOT NULL DEFAULT 'ready' CONSTRAINT nodes_state CHECK (state IN ('ready', 'draining', 'gone')),
  ADD COLUMN started_at timestamptz NOT NULL DEFAULT now();

-- The address that the creation answered with: a replay answers with the same, whichever node it meets.
ALTER TABLE sessions ADD COLUMN node_url text;

-- How many more open sessions a node of this capacity can take. Reservations that are over and wait for the sweep hold no slot.
CREATE FUNCTION room_of_node(p_node_id uuid, p_capacity integer, p_now timestamptz) RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT p_capacity - count(*)::integer FROM sessions
  WHERE node_id = p_node_id AND status IN ('reserved', 'active') AND (status = 'active' OR expires_at > p_now)
$$;

-- Nodes that serve the model and can take one more session. The caller's own capacity comes in fresh; that of the others is as
-- of their last sign of life. With a limit, that many nodes are looked at, chosen at random from those that said they have room:
-- not all of hundreds need to be counted to spread sessions evenly.
CREATE FUNCTION nodes_with_room(
  p_model text, p_now timestamptz, p_self_id uuid, p_self_capacity integer, p_lost_after_ms bigint, p_full uuid[], p_limit integer
) RETURNS TABLE (id uuid, room integer) LANGUAGE sql STABLE AS $$
  WITH sample AS MATERIALIZED (
    SELECT n.id, CASE WHEN n.id = p_self_id THEN p_self_capacity ELSE n.capacity END AS capacity FROM nodes n
    WHERE n.state = 'ready' AND p_model = ANY (n.models) AND n.id <> ALL (p_full)
      AND (n.id = p_self_id OR n.heartbeat_at > clock_timestamp() - p_lost_after_ms * interval '1 ms')
    ORDER BY n.capacity > n.open_streams DESC, random() LIMIT p_limit
  )
  SELECT sample.id, room FROM sample, room_of_node(sample.id, sample.capacity, p_now) AS room WHERE room > 0
$$;

-- The node with the most room for one more session of the model, its row locked until the transaction ends; NULL when all are full.
-- The lock makes the count true until commit, so nodes are never filled beyond their capacity. Whoever meets a locked node takes the
-- next best one instead of waiting, so creations at the same moment spread out; only when all are locked does one wait. The lock is
-- taken after the account's, by everybody, and nothing is waited for under it.
CREATE FUNCTION take_room(
  p_model text, p_now timestamptz, p_self_id uuid, p_self_capacity integer, p_lost_after_ms bigint
) RETURNS nodes LANGUAGE plpgsql AS $$
DECLARE
  chosen_id uuid;
  chosen nodes;
  full_nodes uuid[] := '{}';
BEGIN
  LOOP
    SELECT n.id INTO chosen_id
      FROM nodes_with_room(p_model, p_now, p_self_id, p_self_capacity, p_lost_after_ms, full_nodes, 8) r
      JOIN nodes n ON n.id = r.id
      ORDER BY r.room DESC, random() LIMIT 1 FOR NO KEY UPDATE OF n SKIP LOCKED;
    IF NOT FOUND THEN
      -- All of those are full or locked. Before anybody is refused, every node is counted.
      SELECT r.id INTO chosen_id
        FROM nodes_with_room(p_model, p_now, p_self_id, p_self_capacity, p_lost_after_ms, full_nodes, NULL) r
        ORDER BY r.room DESC, random() LIMIT 1;
      IF NOT FOUND THEN
        RETURN NULL;
      END IF;
      PERFORM FROM nodes WHERE id = chosen_id FOR NO KEY UPDATE;
    END IF;
    -- A statement of its own, so that it sees what the lock's previous holder committed.
    SELECT * INTO chosen FROM nodes n WHERE n.id = chosen_id AND n.state = 'ready'
      AND room_of_node(n.id, CASE WHEN n.id = p_self_id THEN p_self_capacity ELSE n.capacity END, p_now) > 0;
    IF FOUND THEN
      RETURN chosen;
    END IF;
    full_nodes := full_nodes || chosen_id;
  END LOOP;
END $$;

CREATE TYPE placement AS (
  -- reserved, replayed, or the code of the refusal; node_closed: this node takes no new sessions.
  outcome text,
  session_id uuid,
  expires_at timestamptz,
  reserved_ms bigint,
  remaining_ms bigint,
  node_url text,
  -- With concurrency_limit_exceeded and capacity_exceeded: when the next slot is likely free, where that can be told.
  slot_free_at timestamptz
);

-- As reserve_session, and places the session on the node with the most room. The order of the checks is the interface's: replay or
-- conflict, rate, concurrency, credit, capacity. The account's row is locked first, the node's last.
CREATE FUNCTION place_session(
  p_session_id uuid, p_account_id uuid, p_api_key_id uuid, p_model text, p_requested_ms bigint, p_self_id uuid,
  p_self_capacity integer, p_self_is_open boolean, p_lost_after_ms bigint, p_within_rate boolean, p_idempotency_key text,
  p_fingerprint bytea, p_now timestamptz, p_expires_at timestamptz
) RETURNS placement LANGUAGE plpgsql AS $$
DECLARE
  account accounts;
  answer placement;
  known_fingerprint bytea;
  node nodes;
BEGIN
  SELECT * INTO account FROM accounts WHERE id = p_account_id FOR NO KEY UPDATE;
  IF account.active IS NOT TRUE THEN
    answer.outcome := 'account_inactive';
    RETURN answer;
  END IF;

  IF p_idempotency_key IS NOT NULL THEN
    SELECT i.fingerprint, s.id, s.expires_at, s.reserved_ms, i.remaining_ms, s.node_url
      INTO known_fingerprint, answer.session_id, answer.expires_at, answer.reserved_ms, answer.remaining_ms, answer.node_url
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

  IF NOT p_self_is_open THEN
    answer.outcome := 'node_closed';
    RETURN answer;
  END IF;
  node := take_room(p_model, p_now, p_self_id, p_self_capacity, p_lost_after_ms);
  IF node.id IS NULL THEN
    SELECT outcome, slot_free_at INTO answer.outcome, answer.slot_free_at 
      FROM explain_no_room(p_model, p_now, p_self_id, p_self_capacity, p_lost_after_ms);
    RETURN answer;
  END IF;

  INSERT INTO sessions (id, account_id, api_key_id, model, status, reserved_ms, created_at, expires_at, node_id, node_url)
  VALUES (p_session_id, p_account_id, p_api_key_id, p_model, 'reserved', answer.reserved_ms, p_now, p_expires_at, node.id, node.url);
  INSERT INTO ledger_entries (account_id, session_id, kind, available_ms, reserved_ms, consumed_ms, created_at)
  VALUES (p_account_id, p_session_id, 'reserve', -answer.reserved_ms, answer.reserved_ms, 0, p_now);

  answer.outcome := 'reserved';
  answer.session_id := p_session_id;
  answer.expires_at := p_expires_at;
  answer.remaining_ms := account.available_ms - answer.reserved_ms;
  answer.node_url := node.url;
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

-- Why no node takes the session, and when it is worth asking again: at the pace at which sessions ended lately, or when the next
-- unopened reservation runs out, whichever comes first. NULL when neither tells.
CREATE FUNCTION explain_no_room(
  p_model text, p_now timestamptz, p_self_id uuid, p_self_capacity integer, p_lost_after_ms bigint,
  OUT outcome text, OUT slot_free_at timestamptz
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  total_capacity bigint;
  ended bigint;
BEGIN
  SELECT sum(CASE WHEN id = p_self_id THEN p_self_capacity ELSE capacity END), sum(ended_last_minute)
    INTO total_capacity, ended FROM nodes
    WHERE state = 'ready' AND p_model = ANY (models)
      AND (id = p_self_id OR heartbeat_at > clock_timestamp() - p_lost_after_ms * interval '1 ms');
  outcome := CASE WHEN total_capacity > 0 THEN 'capacity_exceeded' ELSE 'engine_unavailable' END;
  slot_free_at := least(
    (SELECT min(expires_at) FROM sessions WHERE status = 'reserved' AND expires_at > p_now),
    CASE WHEN ended > 0 THEN p_now + interval '60 s' / ended END
  );
END $$;

-- The end of a stream, told by the node that ran it, now or after an outage. A node that was taken for dead speaks for nobody any
-- more: its session is failed and costs nothing, as it would be by the others. False when somebody has ended it already.
CREATE FUNCTION settle_session(
  p_session_id uuid, p_to_status text, p_ending text, p_audio_ms bigint, p_billable_ms bigint, p_now timestamptz
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM accounts WHERE id = (SELECT account_id FROM sessions WHERE id = p_session_id) FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM sessions s JOIN nodes n ON n.id = s.node_id WHERE s.id = p_session_id AND n.state <> 'gone') THEN
    RETURN end_session(p_session_id, 'active', p_to_status, p_ending, p_audio_ms, p_billable_ms, p_now);
  END IF;
  PERFORM end_session(p_session_id, 'active', 'failed', 'node_died', 0, 0, p_now);
  RETURN false;
END $$;
