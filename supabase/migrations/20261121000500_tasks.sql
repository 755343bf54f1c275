-- Tasks: what givers post, and the exact address that only the tasker they accept may read.

create type public.task_status as enum ('open', 'assigned', 'completed', 'cancelled');

create table public.tasks (
  id uuid primary key default gen_random_uuid(),
  task_giver_id uuid not null references public.profiles (id) on delete cascade,
  title text not null,
  description text not null,
  category text not null,
  location text not null,
  pay_amount numeric not null, -- whole cents, kept by the rules below, which name the field when it is too much
  scheduled_date timestamptz,
  duration_minutes integer,
  tools_provided boolean not null default false,
  tools_description text,
  status public.task_status not null default 'open',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table public.task_addresses (
  task_id uuid primary key references public.tasks (id) on delete cascade,
  address text not null
);

create index tasks_open_newest on public.tasks (created_at desc, id) where status = 'open';
create index tasks_open_category on public.tasks (category, created_at desc, id) where status = 'open';
create index tasks_of_giver on public.tasks (task_giver_id, created_at desc);
create index tasks_open_pay on public.tasks (pay_amount desc, created_at desc, id) where status = 'open';
create index tasks_open_soonest on public.tasks (scheduled_date, created_at desc, id) where status = 'open';
-- What search looks into, as private.open_tasks has it.
create index tasks_open_text on public.tasks using gin (
  (title || E'\n' || description || E'\n' || category || E'\n' || location) extensions.gin_trgm_ops
) where status = 'open';

-- Who may post and change tasks, and what a task must say.

create function private.tidy_task() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.title := private.trimmed(new.title);
  new.description := private.trimmed(new.description);
  new.location := private.trimmed(new.location);
  new.tools_description := nullif(private.trimmed(new.tools_description), '');
  if private.is_client() then
    new.updated_at := now();
  end if;
  return new;
end $$;
create trigger "10_tidy" before insert or update on public.tasks
for each row execute function private.tidy_task();

create trigger "20_own" before insert on public.tasks for each row
when (private.is_client() and (new.task_giver_id = auth.uid()) is not true)
execute function private.forbid('You can only post tasks of your own');

create trigger "21_givers" before insert on public.tasks for each row
when (private.is_client() and (private.has_role('task_giver') or private.is_admin()) is not true)
execute function private.forbid('Access Denied: Only task givers can post tasks');

create trigger "30_new" before insert on public.tasks for each row
when (private.is_client() and (new.status = 'open') is not true)
execute function private.reject('A new task is open', 'status');

-- What it says is agreed with whoever has applied.
create function private.check_task_is_free() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(old.status = 'open' and new.status = 'open' and not private.task_has_applications(old.id),
    'A task can be changed only while it is open and nobody has applied', 'status');
  return new;
end $$;
create trigger "31_agreed" before update on public.tasks for each row
when (private.is_client() and to_jsonb(new) - '{status,updated_at}'::text[] <> to_jsonb(old) - '{status,updated_at}'::text[])
execute function private.check_task_is_free();

create function private.check_task_step() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require((old.status = 'open' and new.status = 'cancelled')
    or (old.status = 'assigned' and new.status = 'completed' and private.task_is_released(old.id)),
    format('A task cannot go from %s to %s', old.status, new.status), 'status');
  perform private.require(new.status <> 'cancelled' or private.reserve_decision(old.id),
    'This task is being decided right now. Please try again.', 'status');
  return new;
end $$;
create trigger "32_step" before update on public.tasks for each row
when (private.is_client() and new.status is distinct from old.status)
execute function private.check_task_step();

create trigger "40_title_min" before insert or update on public.tasks for each row
when ((private.visible_length(new.title) >= private.rule('limits.title.min')) is not true)
execute function private.reject('Title must be at least 5 characters', 'title');
create trigger "41_title_max" before insert or update on public.tasks for each row
when (length(new.title) > private.rule('limits.title.max'))
execute function private.reject('Title too long', 'title');

create trigger "42_description_min" before insert or update on public.tasks for each row
when ((private.visible_length(new.description) >= private.rule('limits.description.min')) is not true)
execute function private.reject('Description must be at least 20 characters', 'description');
create trigger "43_description_max" before insert or update on public.tasks for each row
when (length(new.description) > private.rule('limits.description.max'))
execute function private.reject('Description too long', 'description');

create trigger "44_category" before insert or update on public.tasks for each row
when ((new.category = any (private.categories())) is not true)
execute function private.reject('Category is required', 'category');

create trigger "45_location_min" before insert or update on public.tasks for each row
when ((private.visible_length(new.location) >= private.rule('limits.location.min')) is not true)
execute function private.reject('Location must be at least 3 characters', 'location');
create trigger "46_location_max" before insert or update on public.tasks for each row
when (length(new.location) > private.rule('limits.location.max'))
execute function private.reject('Location too long', 'location');

create trigger "50_pay_positive" before insert or update on public.tasks for each row
when ((new.pay_amount > 0) is not true)
execute function private.reject('Pay amount must be positive', 'pay_amount');
create trigger "51_pay_min" before insert or update on public.tasks for each row
when (new.pay_amount < private.rule('limits.payAmount.min'))
execute function private.reject('Pay amount must be at least $25', 'pay_amount');
create trigger "52_pay_max" before insert or update on public.tasks for each row
when (new.pay_amount > private.rule('limits.payAmount.max'))
execute function private.reject('Pay amount too high', 'pay_amount');
-- A sum of JavaScript's may be off by a hair.
create trigger "53_pay_cents" before insert or update on public.tasks for each row
when (abs(new.pay_amount - round(new.pay_amount, 2)) >= 0.000001)
execute function private.reject('Pay amount can have two decimals at most', 'pay_amount');

create trigger "60_tools" before insert or update on public.tasks for each row
when (new.tools_provided is null)
execute function private.reject('Tools provided must be true or false', 'tools_provided');
create trigger "61_tools_description" before insert or update on public.tasks for each row
when (length(new.tools_description) > private.rule('limits.toolsDescription.max'))
execute function private.reject('Tools description too long', 'tools_description');

create trigger "70_scheduled" before insert or update on public.tasks for each row
when (new.scheduled_date <= '2000-01-01' or new.scheduled_date >= '2100-01-01')
execute function private.reject('Scheduled date is not a usable date', 'scheduled_date');
-- Clocks may differ a little; a date that passed meanwhile does not stand in the way of another change.
create trigger "71_scheduled_ahead" before insert on public.tasks for each row
when (private.is_client() and new.scheduled_date <= now() - interval '5 minutes')
execute function private.reject('Scheduled date must be in the future', 'scheduled_date');
create trigger "71_scheduled_still_ahead" before update on public.tasks for each row
when (private.is_client() and new.scheduled_date <= now() - interval '5 minutes'
  and new.scheduled_date is distinct from old.scheduled_date)
execute function private.reject('Scheduled date must be in the future', 'scheduled_date');

create trigger "72_duration" before insert or update on public.tasks for each row
when (new.duration_minutes < private.rule('limits.durationMinutes.min')
  or new.duration_minutes > private.rule('limits.durationMinutes.max'))
execute function private.reject('Duration must be between 1 minute and 7 days', 'duration_minutes');

create function private.round_pay() returns trigger language plpgsql set search_path = '' as $$
begin
  new.pay_amount := round(new.pay_amount, 2);
  return new;
end $$;
create trigger "90_pay_cents" before insert or update on public.tasks
for each row execute function private.round_pay();

create function private.tidy_task_address() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.address := private.trimmed(new.address);
  return new;
end $$;
create trigger "10_tidy" before insert or update on public.task_addresses
for each row execute function private.tidy_task_address();

create trigger "40_address_min" before insert or update on public.task_addresses for each row
when ((private.visible_length(new.address) >= private.rule('limits.address.min')) is not true)
execute function private.reject('Address must be at least 3 characters', 'address');
create trigger "41_address_max" before insert or update on public.task_addresses for each row
when (length(new.address) > private.rule('limits.address.max'))
execute function private.reject('Address too long', 'address');

-- What policies ask of bookings and reviews. Definers, because they look past row-level security.

create function private.has_applied(task uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.bookings where task_id = task and task_doer_id = (select auth.uid()));
end $$;

create function private.is_tasker_of(task uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.bookings where task_id = task and task_doer_id = (select auth.uid())
    and status in ('accepted', 'in_progress', 'completed'));
end $$;

create function private.is_giver_of(task uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.tasks where id = task and task_giver_id = (select auth.uid()));
end $$;

create function private.task_is_reviewed(task uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.reviews where task_id = task and visible_from <= now());
end $$;

grant execute on function private.has_applied(uuid), private.is_tasker_of(uuid), private.is_giver_of(uuid),
  private.task_is_reviewed(uuid) to anon, authenticated, service_role;

alter table public.tasks enable row level security;
alter table public.task_addresses enable row level security;
revoke all on public.tasks, public.task_addresses from anon, authenticated;

grant select on public.tasks to anon, authenticated;
grant insert (id, task_giver_id, title, description, category, location, pay_amount, scheduled_date, duration_minutes,
  tools_provided, tools_description, status) on public.tasks to authenticated;
grant update (title, description, category, location, pay_amount, scheduled_date, duration_minutes,
  tools_provided, tools_description, status) on public.tasks to authenticated;
grant select on public.task_addresses to authenticated;
grant insert (task_id, address) on public.task_addresses to authenticated;
grant update (address) on public.task_addresses to authenticated;

-- The reasons stand cheapest first: a list of open tasks is decided by its first word.
create policy "anyone reads open tasks and those of shown reviews, people their own and those they applied to"
on public.tasks for select to anon, authenticated
using (status = 'open' or task_giver_id = (select auth.uid()) or (select private.is_admin())
  or private.has_applied(id) or private.task_is_reviewed(id));
create policy "givers post their own tasks" on public.tasks for insert to authenticated
with check (task_giver_id = (select auth.uid()));
create policy "givers change their own tasks" on public.tasks for update to authenticated
using (task_giver_id = (select auth.uid())) with check (task_giver_id = (select auth.uid()));

create policy "givers read the address of their tasks, taskers once accepted, admins all" on public.task_addresses
for select to authenticated
using (private.is_giver_of(task_id) or private.is_tasker_of(task_id) or (select private.is_admin()));
create policy "givers add the address of their tasks" on public.task_addresses for insert to authenticated
with check (private.is_giver_of(task_id));
create policy "givers change the address of their tasks" on public.task_addresses for update to authenticated
using (private.is_giver_of(task_id)) with check (private.is_giver_of(task_id));
