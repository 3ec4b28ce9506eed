-- The audit log is chained: each entry's hash covers its content and the hash before it, so that an entry which was changed, removed
-- or put in between is found by whoever recomputes the chain. A person who leaves takes their name along: the content is covered by
-- a salted hash of its own, so the chain holds without the content, and without the salt nobody can guess what it was.

ALTER TABLE audit_entries
  -- The network address that it came from. NULL: the command line of the machine, or forgotten.
  ADD COLUMN address text,
  -- NULL: the content was forgotten.
  ADD COLUMN salt text,
  ADD COLUMN content_hash text,
  ADD COLUMN hash text;

CREATE FUNCTION audit_content(entry audit_entries) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
    'at', to_char(entry.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'actor_id', entry.operator_id,
    'actor', entry.operator_email,
    'action', entry.action,
    'target', entry.target,
    'address', entry.address,
    'details', entry.details
  )::text
$$;

CREATE FUNCTION sha256_hex(content text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT encode(sha256(convert_to(content, 'UTF8')), 'hex')
$$;

CREATE FUNCTION audit_link(previous text, id bigint, content_hash text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256_hex(coalesce(previous, '') || ' ' || id || ' ' || content_hash)
$$;

-- Entries are sealed one after another: the lock is held until the transaction ends, and the number is taken under it, so that
-- numbers and chain have the same order. Whoever takes part should write its entry last.
CREATE FUNCTION seal_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7283540128);
  NEW.id := nextval(pg_get_serial_sequence('audit_entries', 'id'));
  NEW.salt := gen_random_uuid()::text;
  NEW.content_hash := sha256_hex(NEW.salt || audit_content(NEW));
  NEW.hash := audit_link((SELECT hash FROM audit_entries ORDER BY id DESC LIMIT 1), NEW.id, NEW.content_hash);
  RETURN NEW;
END $$;

-- What was written before the chain began.
ALTER TABLE audit_entries DISABLE TRIGGER audit_entries_only_forget;
DO $$
DECLARE
  entry audit_entries;
  previous text;
BEGIN
  FOR entry IN SELECT * FROM audit_entries ORDER BY id LOOP
    entry.salt := gen_random_uuid()::text;
    entry.content_hash := sha256_hex(entry.salt || audit_content(entry));
    previous := audit_link(previous, entry.id, entry.content_hash);
    UPDATE audit_entries SET salt = entry.salt, content_hash = entry.content_hash, hash = previous WHERE id = entry.id;
  END LOOP;
END $$;
ALTER TABLE audit_entries ENABLE TRIGGER audit_entries_only_forget;

ALTER TABLE audit_entries ALTER COLUMN content_hash SET NOT NULL, ALTER COLUMN hash SET NOT NULL;
CREATE TRIGGER audit_entries_seal BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION seal_audit_entry();

-- Forgetting takes the address and the salt along, whoever asks for it.
CREATE OR REPLACE FUNCTION refuse_change_but_forgetting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.operator_email IN (OLD.operator_email, 'a deleted person')
    AND (NEW.target IS NOT DISTINCT FROM OLD.target OR NEW.target = 'a deleted person')
    AND (NEW.id, NEW.at, NEW.operator_id, NEW.action, NEW.details, NEW.content_hash, NEW.hash)
      IS NOT DISTINCT FROM (OLD.id, OLD.at, OLD.operator_id, OLD.action, OLD.details, OLD.content_hash, OLD.hash)
  THEN
    NEW.salt := NULL;
    NEW.address := NULL;
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE INDEX audit_entries_actor ON audit_entries (operator_id, action, at);
