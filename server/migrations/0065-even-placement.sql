-- Sessions that are created at the same moment are placed as evenly as those that are created one after the other. Before, a creation
-- that met a locked node took the next best, however full; and one that met only locked nodes waited for the best. Many waited for the
-- same node then, and all of them were placed there. The interface is that of before, so older programs go on.

-- The node with the most room for one more session of the model, or with one slot less, its row locked until the transaction ends; NULL
-- when all are full. The lock makes the count true until commit, so nodes are never filled beyond their capacity.
--
-- A creation that meets a locked node takes another that has as much room or one slot less; where there is none, it waits. What was
-- best before the lock need not be best under it, so the nodes are counted again: a creation that was overtaken gives the lock back
-- (the inner block is a subtransaction, which an error ends) and chooses anew. So nothing waits for a node while it holds another. After
-- many tries it takes what it has. The lock is taken after the account's, by everybody.
CREATE OR REPLACE FUNCTION take_room(
  p_model text, p_now timestamptz, p_self_id uuid, p_self_capacity integer, p_lost_after_ms bigint
) RETURNS nodes LANGUAGE plpgsql AS $$
DECLARE
  slots_less CONSTANT integer := 1;
  most_tries CONSTANT integer := 100;
  tries integer := 0;
  full_nodes uuid[] := '{}';
  -- Those with the most room first.
  node_ids uuid[];
  rooms integer[];
  chosen nodes;
  chosen_room integer;
BEGIN
  LOOP
    tries := tries + 1;
    SELECT array_agg(id ORDER BY room DESC, draw), array_agg(room ORDER BY room DESC, draw) INTO node_ids, rooms
      FROM (SELECT id, room, random() AS draw
            FROM nodes_with_room(p_model, p_now, p_self_id, p_self_capacity, p_lost_after_ms, full_nodes, 8)) r;
    IF node_ids IS NULL THEN
      -- All of those are full. Before anybody is refused, every node is counted.
      SELECT array_agg(id ORDER BY room DESC), array_agg(room ORDER BY room DESC) INTO node_ids, rooms
        FROM nodes_with_room(p_model, p_now, p_self_id, p_self_capacity, p_lost_after_ms, full_nodes, NULL);
    END IF;
    IF node_ids IS NULL THEN
      RETURN NULL;
    END IF;

    BEGIN
      SELECT n.* INTO chosen FROM unnest(node_ids, rooms) WITH ORDINALITY r (id, room, place) JOIN nodes n ON n.id = r.id
        WHERE r.room >= rooms[1] - slots_less ORDER BY r.place LIMIT 1 FOR NO KEY UPDATE OF n SKIP LOCKED;
      IF NOT FOUND THEN
        SELECT * INTO chosen FROM nodes WHERE id = node_ids[1] FOR NO KEY UPDATE;
      END IF;
      -- Statements of their own, so that they see what the lock's previous holder committed.
      chosen_room := room_of_node(chosen.id, CASE WHEN chosen.id = p_self_id THEN p_self_capacity ELSE chosen.capacity END, p_now);
      -- It may have gone meanwhile, even its row.
      IF chosen.state IS DISTINCT FROM 'ready' OR chosen_room <= 0 THEN
        full_nodes := full_nodes || coalesce(chosen.id, node_ids[1]);
        RAISE SQLSTATE 'SA001';
      END IF;
      IF cardinality(node_ids) > 1 AND tries < most_tries AND EXISTS (
        SELECT FROM nodes_with_room(p_model, p_now, p_self_id, p_self_capacity, p_lost_after_ms, full_nodes || chosen.id, 8)
        WHERE room > chosen_room + slots_less
      ) THEN
        RAISE SQLSTATE 'SA001';
      END IF;
      RETURN chosen;
    EXCEPTION WHEN SQLSTATE 'SA001' THEN
      NULL;
    END;
  END LOOP;
END $$;
