-- Secrets that are stored encrypted, with the vault's names and arguments
-- (https://supabase.com/docs/guides/database/vault). The key is not the extension's: the platform has laid
-- vault._key() before it, and a server's start provides what that returns (src/postgres/migrate/vault-key.ts).
do $$ begin
  raise warning 'supabase_vault is a stand-in: its key is VAULT_KEY or a file of the server, not kept by another service';
end $$;

create table vault.secrets (
  id uuid primary key default gen_random_uuid(),
  name text,
  description text not null default '',
  secret text not null,
  key_id uuid,
  nonce bytea,
  created_at timestamptz not null default current_timestamp,
  updated_at timestamptz not null default current_timestamp
);
create unique index secrets_name_idx on vault.secrets (name) where name is not null;
select pg_catalog.pg_extension_config_dump('vault.secrets', '');

-- The key is random, not a word of somebody's: without mode 0 each reading would take the milliseconds that guessing should.
create function vault._encrypt(secret text) returns text language sql security definer set search_path = '' as $$
  select pg_catalog.encode(
    @extschema:pgcrypto@.pgp_sym_encrypt(secret, vault._key(), 'cipher-algo=aes256, s2k-mode=0'), 'base64'
  )
$$;
revoke all on function vault._encrypt from public;

create function vault._decrypt(secret text) returns text language sql security definer set search_path = '' as $$
  select @extschema:pgcrypto@.pgp_sym_decrypt(pg_catalog.decode(secret, 'base64'), vault._key())
$$;
revoke all on function vault._decrypt from public;

create view vault.decrypted_secrets as
select id, name, description, secret, vault._decrypt(secret) as decrypted_secret, key_id, nonce, created_at, updated_at
from vault.secrets;

create function vault.create_secret(
  new_secret text,
  new_name text default null,
  new_description text default '',
  new_key_id uuid default null
) returns uuid language sql security definer set search_path = '' as $$
  insert into vault.secrets (secret, name, description)
  values (vault._encrypt(new_secret), new_name, coalesce(new_description, ''))
  returning id
$$;

create function vault.update_secret(
  secret_id uuid,
  new_secret text default null,
  new_name text default null,
  new_description text default null,
  new_key_id uuid default null
) returns void language sql security definer set search_path = '' as $$
  update vault.secrets
  set
    secret = coalesce(vault._encrypt(new_secret), secret),
    name = coalesce(new_name, name),
    description = coalesce(new_description, description),
    updated_at = current_timestamp
  where id = secret_id
$$;

revoke all on function vault.create_secret, vault.update_secret from public;
grant usage on schema vault to postgres, service_role with grant option;
grant execute on function vault.create_secret, vault.update_secret, vault._decrypt to postgres, service_role;
grant select, delete on vault.secrets, vault.decrypted_secrets to postgres, service_role with grant option;
