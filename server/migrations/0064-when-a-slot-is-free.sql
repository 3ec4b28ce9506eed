-- When it is worth asking again after capacity_exceeded. A node that its machine has become too slow for has more sessions than it would
-- admit: as many must end first. The interface is that of before, so older programs go on.

-- Open sessions of the nodes, and when each is over at the latest, where that can be told: an unopened reservation when it runs out, a
-- stream when it has spoken all that is reserved for it. A stream that was silent for a while is past that moment, and may go on.
CREATE FUNCTION expected_endings(p_node_ids uuid[], p_now timestamptz) RETURNS TABLE (ends_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT CASE
      WHEN status = 'reserved' THEN expires_at
      WHEN activated_at + reserved_ms * interval '1 ms' > p_now THEN activated_at + reserved_ms * interval '1 ms'
    END
  FROM sessions
  WHERE node_id = ANY (p_node_ids) AND status IN ('reserved', 'active') AND (status = 'active' OR expires_at > p_now)
$$;

-- At the pace at which sessions ended lately, or when enough of those that are open must be over, whichever comes first. NULL when
-- neither tells.
CREATE OR REPLACE FUNCTION explain_no_room(
  p_model text, p_now timestamptz, p_self_id uuid, p_self_capacity integer, p_lost_after_ms bigint,
  OUT outcome text, OUT slot_free_at timestamptz
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  node_ids uuid[];
  total_capacity bigint;
  ended bigint;
  needed bigint;
BEGIN
  SELECT array_agg(id), sum(CASE WHEN id = p_self_id THEN p_self_capacity ELSE capacity END), sum(ended_last_minute)
    INTO node_ids, total_capacity, ended FROM nodes
    WHERE state = 'ready' AND p_model = ANY (models)
      AND (id = p_self_id OR heartbeat_at > clock_timestamp() - p_lost_after_ms * interval '1 ms');
  outcome := CASE WHEN total_capacity > 0 THEN 'capacity_exceeded' ELSE 'engine_unavailable' END;
  needed := greatest(1, (SELECT count(*) FROM expected_endings(node_ids, p_now)) - total_capacity + 1);
  slot_free_at := least(
    (SELECT ends_at FROM expected_endings(node_ids, p_now) ORDER BY ends_at OFFSET needed - 1 LIMIT 1),
    CASE WHEN ended > 0 THEN p_now + interval '60 s' * needed / ended END
  );
END $$;
