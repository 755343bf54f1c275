-- Counters of the auth service, shared by all servers through the database. They are not part of GoTrue's schema.
-- Keys and devices are keyed hashes. Idempotent, and run after schema.sql.

set local role supabase_auth_admin;

-- How many codes were typed where this one was asked for; it is void after ten.
alter table auth.one_time_tokens add column if not exists tries smallint not null default 0;
create index if not exists one_time_tokens_lower_relates_to_idx on auth.one_time_tokens (lower(relates_to));

-- The moment at which a key's limit is untouched again.
create table if not exists auth.rate_limits (
  key text primary key,
  full_at timestamptz not null
);
create index if not exists rate_limits_full_at_idx on auth.rate_limits (full_at);

-- From where people have signed in before, and from where they have proved a second factor.
create table if not exists auth.known_devices (
  user_id uuid not null references auth.users on delete cascade,
  device text not null,
  seen_at timestamptz not null,
  primary key (user_id, device)
);

-- The newest time step (RFC 6238) whose code was accepted for an authenticator app: a code is accepted once.
create table if not exists auth.used_totp_steps (
  factor_id uuid primary key references auth.mfa_factors on delete cascade,
  step bigint not null
);

-- Until when a second factor is provisional, from its first proof: a reset by e-mail may remove it. One without a row is not.
create table if not exists auth.provisional_factors (
  factor_id uuid primary key references auth.mfa_factors on delete cascade,
  until timestamptz not null
);

-- Sessions that a reset by e-mail began while the account had provisional factors only, and until when they may remove those.
create table if not exists auth.factor_removal_sessions (
  session_id uuid primary key references auth.sessions on delete cascade,
  expires_at timestamptz not null
);

-- Proofs that work once and were used: wallet messages and SAML assertions.
create table if not exists auth.used_proofs (
  proof text primary key,
  expires_at timestamptz not null
);
create index if not exists used_proofs_expires_at_idx on auth.used_proofs (expires_at);

-- When the session has to end that the code of a flow is exchanged for, where its identity provider says so.
create table if not exists auth.flow_session_ends (
  flow_state_id uuid primary key references auth.flow_state on delete cascade,
  not_after timestamptz not null
);

-- The session in which somebody asked for a provider's identity to be added; with it goes what it has begun. Null for a
-- token that has none.
create table if not exists auth.linking_sessions (
  flow_state_id uuid primary key references auth.flow_state on delete cascade,
  session_id uuid references auth.sessions on delete cascade
);
create index if not exists linking_sessions_session_id_idx on auth.linking_sessions (session_id);

-- Row security without a policy shuts everyone out but the owner and roles that bypass it.
alter table auth.rate_limits enable row level security;
alter table auth.known_devices enable row level security;
alter table auth.used_totp_steps enable row level security;
alter table auth.provisional_factors enable row level security;
alter table auth.factor_removal_sessions enable row level security;
alter table auth.used_proofs enable row level security;
alter table auth.flow_session_ends enable row level security;
alter table auth.linking_sessions enable row level security;
revoke all on auth.rate_limits, auth.known_devices, auth.used_totp_steps, auth.provisional_factors,
  auth.factor_removal_sessions, auth.used_proofs, auth.flow_session_ends,
  auth.linking_sessions from public, anon, authenticated, service_role;

reset role;
