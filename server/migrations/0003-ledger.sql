-- The ledger. Every movement of credit is one entry that is never edited; the balance in `accounts` is their running sum.
--
--   kind     available  reserved  consumed
--   grant       +a         0         0       credit is given
--   reserve     -a        +a         0       a session is created
--   settle      +rest     -a        +billed  a session ends and is billed; the rest returns
--   release     +a        -a         0       a session ends and nothing is billed

CREATE TABLE ledger_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  session_id uuid REFERENCES sessions,
  kind text NOT NULL,
  available_ms bigint NOT NULL,
  reserved_ms bigint NOT NULL,
  consumed_ms bigint NOT NULL,
  note text CONSTRAINT ledger_entries_note_length CHECK (length(note) <= 500),
  created_at timestamptz NOT NULL,
  CONSTRAINT ledger_entries_shape CHECK (CASE kind
    WHEN 'grant' THEN available_ms > 0 AND reserved_ms = 0 AND consumed_ms = 0
    WHEN 'reserve' THEN reserved_ms > 0 AND available_ms = -reserved_ms AND consumed_ms = 0
    WHEN 'settle' THEN reserved_ms < 0 AND consumed_ms > 0 AND available_ms >= 0 AND available_ms + reserved_ms + consumed_ms = 0
    WHEN 'release' THEN reserved_ms < 0 AND available_ms = -reserved_ms AND consumed_ms = 0
    ELSE false
  END),
  CONSTRAINT ledger_entries_session CHECK ((session_id IS NULL) = (kind = 'grant'))
);

CREATE INDEX ledger_entries_account ON ledger_entries (account_id, id);

-- A session is reserved once and resolved once, whatever races to end it.
CREATE UNIQUE INDEX ledger_entries_reserved_once ON ledger_entries (session_id) WHERE kind = 'reserve';
CREATE UNIQUE INDEX ledger_entries_resolved_once ON ledger_entries (session_id) WHERE kind IN ('settle', 'release');

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Locks the account's row until the transaction ends, so entries of one account are applied one after another.
CREATE FUNCTION apply_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE accounts SET
    granted_ms = granted_ms + NEW.available_ms + NEW.reserved_ms + NEW.consumed_ms,
    available_ms = available_ms + NEW.available_ms,
    reserved_ms = reserved_ms + NEW.reserved_ms,
    consumed_ms = consumed_ms + NEW.consumed_ms
  WHERE id = NEW.account_id;
  RETURN NULL;
END $$;

CREATE TRIGGER ledger_entries_move_balance AFTER INSERT ON ledger_entries
  FOR EACH ROW EXECUTE FUNCTION apply_entry();

-- A balance moves only inside the trigger above (depth 2 here); a stray UPDATE by hand or by a bug is refused.
CREATE FUNCTION refuse_stray_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF pg_trigger_depth() < 2 THEN
    RAISE EXCEPTION 'a balance changes only by a ledger entry' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER accounts_balance_starts_empty BEFORE INSERT ON accounts
  FOR EACH ROW WHEN (NEW.granted_ms <> 0 OR NEW.available_ms <> 0 OR NEW.reserved_ms <> 0 OR NEW.consumed_ms <> 0)
  EXECUTE FUNCTION refuse_stray_balance();

CREATE TRIGGER accounts_balance_by_entries BEFORE UPDATE OF granted_ms, available_ms, reserved_ms, consumed_ms ON accounts
  FOR EACH ROW EXECUTE FUNCTION refuse_stray_balance();
