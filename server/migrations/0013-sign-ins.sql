-- What a person sees of their own sign-ins, and when the password was last given: some things ask for it again.
ALTER TABLE sign_ins
  -- NULL: an older program made the row; then it is asked for at once.
  ADD COLUMN confirmed_at timestamptz,
  ADD COLUMN address text,
  -- Only its family and system, such as "Firefox on Linux".
  ADD COLUMN browser text;
