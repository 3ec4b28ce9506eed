-- Which attempt opened a session. An attempt whose answer was lost is taken back; another one, even at the same node and moment, is not.
-- NULL: never opened, or opened by an older release.
ALTER TABLE sessions ADD COLUMN opening_id uuid;
