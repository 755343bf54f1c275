-- Providers that administrators set up by the API, in the table that GoTrue has for them. Idempotent, as schema.sql, which it
-- follows. That addresses are HTTPS is checked by the service: an issuer on the same machine may do without.

set local role supabase_auth_admin;

create table if not exists auth.custom_oauth_providers (
  id uuid primary key default gen_random_uuid(),
  provider_type text not null constraint custom_oauth_providers_provider_type_check
    check (provider_type in ('oauth2', 'oidc')),
  identifier text not null constraint custom_oauth_providers_identifier_key unique
    constraint custom_oauth_providers_identifier_format check (identifier ~ '^[a-z0-9][a-z0-9:-]{0,48}[a-z0-9]$'),
  name text not null constraint custom_oauth_providers_name_length check (char_length(name) between 1 and 100),
  client_id text not null
    constraint custom_oauth_providers_client_id_length check (char_length(client_id) between 1 and 512),
  client_secret text not null,
  acceptable_client_ids text[] not null default '{}',
  scopes text[] not null default '{}',
  pkce_enabled boolean not null default true,
  attribute_mapping jsonb not null default '{}',
  authorization_params jsonb not null default '{}',
  enabled boolean not null default true,
  email_optional boolean not null default false,
  issuer text constraint custom_oauth_providers_issuer_length check (char_length(issuer) between 1 and 2048),
  discovery_url text constraint custom_oauth_providers_discovery_url_length check (char_length(discovery_url) <= 2048),
  skip_nonce_check boolean not null default false,
  cached_discovery jsonb,
  discovery_cached_at timestamptz,
  authorization_url text
    constraint custom_oauth_providers_authorization_url_length check (char_length(authorization_url) <= 2048),
  token_url text constraint custom_oauth_providers_token_url_length check (char_length(token_url) <= 2048),
  userinfo_url text constraint custom_oauth_providers_userinfo_url_length check (char_length(userinfo_url) <= 2048),
  jwks_uri text constraint custom_oauth_providers_jwks_uri_length check (char_length(jwks_uri) <= 2048),
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  custom_claims_allowlist text[] not null default '{}',
  constraint custom_oauth_providers_oidc_requires_issuer check (provider_type <> 'oidc' or issuer is not null),
  constraint custom_oauth_providers_oauth2_requires_endpoints check (
    provider_type <> 'oauth2' or num_nulls(authorization_url, token_url, userinfo_url) = 0
  )
);
create index if not exists custom_oauth_providers_created_at_idx on auth.custom_oauth_providers (created_at desc);

-- Row security without a policy shuts everyone out but the owner and roles that bypass it.
alter table auth.custom_oauth_providers enable row level security;
revoke all on auth.custom_oauth_providers from public, anon, authenticated, service_role;
grant all on auth.custom_oauth_providers to postgres, dashboard_user;
grant select on auth.custom_oauth_providers to postgres with grant option;

reset role;
