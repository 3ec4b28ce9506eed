-- A person who leaves takes name and address along. An entry of the audit log may lose a person's address; nothing else of it
-- ever changes.

DROP TRIGGER audit_entries_append_only ON audit_entries;

CREATE FUNCTION refuse_change_but_forgetting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.operator_email IN (OLD.operator_email, 'a deleted person')
    AND (NEW.target IS NOT DISTINCT FROM OLD.target OR NEW.target = 'a deleted person')
    AND (NEW.id, NEW.at, NEW.operator_id, NEW.action, NEW.details)
      IS NOT DISTINCT FROM (OLD.id, OLD.at, OLD.operator_id, OLD.action, OLD.details)
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER audit_entries_only_forget BEFORE UPDATE ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION refuse_change_but_forgetting();

CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
