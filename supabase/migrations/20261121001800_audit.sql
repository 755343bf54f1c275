-- Audit: who changed what in roles, verification, payments and complaints, with old and new values. Append-only;
-- admins read it. What people declared of themselves (legal name, birth date, policy) is left out.

create table public.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- The signed-in person, or null with the database role that acted: the secret key, the schedule, an operator.
  actor_id uuid,
  actor_role text not null,
  table_name text not null,
  row_id uuid not null,
  action text not null check (action in ('insert', 'update', 'delete')),
  -- Only the columns that changed; all of them for insert (new) and delete (old).
  old_values jsonb,
  new_values jsonb
);
create index audit_log_of_row on public.audit_log (table_name, row_id, at desc);
create index audit_log_of_actor on public.audit_log (actor_id, at desc);
create index audit_log_newest on public.audit_log (at desc);

-- Arguments: the columns to watch, or none for all but those that people declare of themselves.
create function private.write_audit() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  declared constant text[] := array['legal_name', 'date_of_birth', 'insurance_provider', 'insurance_policy_number',
    'insurance_expiry_date', 'skills', 'certifications', 'updated_at'];
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) - declared end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) - declared end;
  changed text[];
begin
  if tg_op = 'UPDATE' then
    select array_agg(key) into changed from jsonb_object_keys(after) key
    where before -> key is distinct from after -> key and (tg_nargs = 0 or key = any (tg_argv));
    if changed is null then
      return null;
    end if;
    select jsonb_object_agg(key, before -> key), jsonb_object_agg(key, after -> key) into before, after
    from unnest(changed) key;
  end if;
  insert into public.audit_log (actor_id, actor_role, table_name, row_id, action, old_values, new_values)
  values (auth.uid(), coalesce(auth.role(), session_user), tg_table_name, coalesce(new.id, old.id), lower(tg_op), before, after);
  return null;
end $$;

create trigger write_audit after insert or update or delete on public.user_roles
for each row execute function private.write_audit();
create trigger write_audit after insert or update or delete on public.verifications
for each row execute function private.write_audit();
create trigger write_audit after insert or update or delete on public.payments
for each row execute function private.write_audit();
create trigger write_audit after insert or update or delete on public.complaints
for each row execute function private.write_audit();
create trigger write_audit after update on public.profiles
for each row execute function private.write_audit('verified_by_admin', 'verification_notes', 'verified_at', 'verified_by');

create trigger "20_append_only" before update or delete on public.audit_log
for each row execute function private.forbid('The audit log is append-only');
create trigger "20_append_only_as_a_whole" before truncate on public.audit_log
for each statement execute function private.forbid('The audit log is append-only');

alter table public.audit_log enable row level security;
revoke all on public.audit_log from anon, authenticated, service_role;
grant select on public.audit_log to authenticated, service_role;
create policy "admins read the audit log" on public.audit_log for select to authenticated
using ((select private.is_admin()));
