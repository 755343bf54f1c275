-- The audit log: who changed roles, verifications, payments, complaints, suspensions, reports, or the visibility of
-- tasks and people, with old and new values. Append-only; admins read it. Personal declarations (legal name, birth
-- date, insurance policy) are left out.

create table public.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  actor_id uuid,
  actor_role text not null,
  table_name text not null,
  row_id uuid not null,
  action text not null check (action in ('insert', 'update', 'delete')),
  old_values jsonb,
  new_values jsonb,
  by_admin boolean not null default false,
  subject_ids uuid[] not null default '{}'
);
alter table public.audit_log enable row level security;

comment on table public.audit_log is 'Append-only record of sensitive changes, with old and new values';
comment on column public.audit_log.at is 'Time of the change, by the clock and not by the transaction';
comment on column public.audit_log.actor_id is 'The signed-in person; null for the secret key, the schedule or an operator';
comment on column public.audit_log.actor_role is
  'The role of the token, such as authenticated or service_role, or else the database user';
comment on column public.audit_log.table_name is 'Without its schema';
comment on column public.audit_log.row_id is 'The id of the changed row';
comment on column public.audit_log.action is 'insert, update or delete';
comment on column public.audit_log.old_values is
  'Values before: all of a deleted row, the changed columns of an updated one, null for an inserted one';
comment on column public.audit_log.new_values is
  'Values after: all of an inserted row, the changed columns of an updated one, null for a deleted one';
comment on column public.audit_log.by_admin is 'Whether the actor was an admin at that time';
comment on column public.audit_log.subject_ids is 'The people that the entry is about';

create index audit_log_of_row on public.audit_log (table_name, row_id, at desc);
create index audit_log_of_actor on public.audit_log (actor_id, at desc);
create index audit_log_newest on public.audit_log (at desc);
create index audit_log_of_admins on public.audit_log (id desc) where by_admin;
create index audit_log_of_table on public.audit_log (table_name, id desc);
create index audit_log_by_actor on public.audit_log (actor_id, id desc) where actor_id is not null;
create index audit_log_of_people on public.audit_log using gin (subject_ids);

-- Writes changes of the columns in the arguments to the audit log; without arguments, of all columns except those that people
-- declare about themselves.
create function private.write_audit() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  declared constant text[] := array['legal_name', 'date_of_birth', 'insurance_provider', 'insurance_policy_number',
    'insurance_expiry_date', 'skills', 'certifications', 'updated_at'];
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) - declared end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) - declared end;
  people constant uuid[] := private.people_in_row(tg_table_name, coalesce(after, before));
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
  insert into public.audit_log (actor_id, actor_role, table_name, row_id, action, old_values, new_values, by_admin, subject_ids)
  values (auth.uid(), coalesce(auth.role(), session_user), tg_table_name, coalesce(new.id, old.id), lower(tg_op), before, after,
    private.is_admin(), people);
  return null;
end $$;

create trigger write_audit after insert or update or delete on public.user_roles
for each row execute function private.write_audit('user_id', 'role');

create trigger write_audit after insert or update or delete on public.verifications
for each row execute function private.write_audit();

create trigger write_audit after insert or update or delete on public.payments
for each row execute function private.write_audit();

create trigger write_audit after insert or update or delete on public.complaints
for each row execute function private.write_audit();

create trigger write_audit after update on private.profiles for each row
when ((new.verified_by_admin, new.verification_notes, new.verified_at, new.verified_by, new.hidden_for)
  is distinct from (old.verified_by_admin, old.verification_notes, old.verified_at, old.verified_by, old.hidden_for))
execute function private.write_audit('verified_by_admin', 'verification_notes', 'verified_at', 'verified_by', 'hidden_for');

-- Before an entry is changed or deleted, which only erasing an account may do.
create function private.before_audit_entry_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(private.is_erasing(), 'audit_log.append_only');
  return coalesce(new, old);
end $$;

create trigger before_audit_entry_change before update or delete on public.audit_log
for each row execute function private.before_audit_entry_change();

-- Refuses to delete all entries at once.
create function private.refuse_audit_truncate() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(false, 'audit_log.append_only');
  return null;
end $$;

create trigger before_audit_log_truncate before truncate on public.audit_log
for each statement execute function private.refuse_audit_truncate();

create trigger write_audit after insert or update or delete on public.suspensions
for each row execute function private.write_audit();

-- The people that a row is about: those it refers to in one of these columns, and a profile's own person.
create function private.people_in_row(table_name text, row_values jsonb) returns uuid[]
language sql immutable set search_path = '' as $$
  select array(select distinct value::uuid from jsonb_each_text(row_values)
    where value is not null and (key in ('user_id', 'giver_id', 'tasker_id', 'payer_id', 'payee_id', 'task_giver_id',
      'reviewer_id', 'reviewee_id', 'sender_id', 'author_id') or (key = 'id' and table_name = 'profiles')))
$$;

-- Entries, newest first: of one table, by one actor, about one person, or made by admins. `before_id` is the last entry of the
-- previous page; at most 100.
create function public.find_audit_entries(about_table text default null, actor uuid default null, person uuid default null,
  admins_only boolean default false, before_id bigint default null, max_results integer default 50)
returns table (id bigint, at timestamptz, actor_id uuid, actor_name text, actor_role text, by_admin boolean, table_name text,
  row_id uuid, action text, old_values jsonb, new_values jsonb, subjects jsonb, task_title text)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "read the audit log"}');
  return query execute concat_ws(' ',
    'select a.id, a.at, a.actor_id, who.full_name, a.actor_role, a.by_admin, a.table_name, a.row_id, a.action, a.old_values,',
    'a.new_values, (select jsonb_agg(jsonb_build_object(''id'', p.id, ''name'', p.full_name) order by p.full_name)',
    'from private.profiles p where p.id = any (a.subject_ids)),',
    'case a.table_name when ''tasks'' then (select t.title from public.tasks t where t.id = a.row_id)',
    'when ''payments'' then (select t.title from public.payments p join public.tasks t on t.id = p.task_id where p.id = a.row_id)',
    'when ''complaints'' then (select t.title from public.complaints c join public.bookings b on b.id = c.booking_id',
    'join public.tasks t on t.id = b.task_id where c.id = a.row_id) end',
    'from public.audit_log a left join private.profiles who on who.id = a.actor_id where true',
    case when about_table is not null then format('and a.table_name = %L', about_table) end,
    case when actor is not null then format('and a.actor_id = %L', actor) end,
    case when person is not null then format('and a.subject_ids @> array[%L::uuid]', person) end,
    case when coalesce(admins_only, false) then 'and a.by_admin' end,
    case when before_id is not null then format('and a.id < %s', before_id) end,
    'order by a.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

-- Also logged: hiding and showing tasks, and decisions on reports.
create trigger write_audit after update of hidden_for on public.tasks for each row
when (old.hidden_for is distinct from new.hidden_for)
execute function private.write_audit('hidden_for');

create trigger write_audit after update on public.reports
for each row execute function private.write_audit('status', 'decision_note', 'decided_by');

create policy "admins read the audit log" on public.audit_log for select to authenticated
using ((select private.is_admin()));

revoke all on public.audit_log from service_role;
grant select on public.audit_log to authenticated, service_role;
grant execute on function
  public.find_audit_entries(text, uuid, uuid, boolean, bigint, integer)
to authenticated;
