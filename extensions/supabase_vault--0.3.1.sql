-- Secrets that lie encrypted in the table, with the vault's names and arguments
-- (https://supabase.com/docs/guides/database/vault). The key is a file in the cluster's directory, in no dump.
do $$ begin
  raise warning 'supabase_vault is a stand-in: its key is a file beside the cluster, not kept by another service';
end $$;

-- Where whoever lays it may write no file there, the key is a table's only row.
do $$
declare
  key_file text;
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    create table vault.key as select encode(@extschema:pgcrypto@.gen_random_bytes(32), 'hex') as key;
    return;
  end if;
  key_file := current_setting('data_directory') || '/vault.key';
  if pg_stat_file(key_file, true) is null then
    execute format(
      'copy (select encode(@extschema:pgcrypto@.gen_random_bytes(32), ''hex'')) to %L', key_file
    );
  end if;
end
$$;

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

create function vault._key() returns text language plpgsql stable security definer set search_path = '' as $$
begin
  if pg_catalog.to_regclass('vault.key') is not null then
    return (select key from vault.key);
  end if;
  return btrim(pg_catalog.pg_read_file(pg_catalog.current_setting('data_directory') || '/vault.key'), E'\n');
end
$$;
revoke all on function vault._key from public;

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
