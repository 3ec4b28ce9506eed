-- What an operator may do. Counts only where users.role is 'operator'. Those who were operators before there were roles are owners,
-- and so are those whom an older version of the program makes operators: it knows no others.
ALTER TABLE users ADD COLUMN operator_role text NOT NULL DEFAULT 'owner'
  CONSTRAINT users_operator_role CHECK (operator_role IN ('owner', 'support', 'auditor'));
