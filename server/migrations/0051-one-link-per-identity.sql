-- What a provider calls one person belongs to one person here.
CREATE UNIQUE INDEX user_credentials_identity ON user_credentials (provider_id, provider_account_id);
