-- Rate limits for each person: how often they can create or change things, and how many they can have at the same time.
-- They keep one account from flooding search results, inboxes or the database. Each inserted or changed row counts, also
-- within one request. The service role, admins and the database's own work are not limited.

create table private.activity_limits (
  action text primary key,
  per_hour integer check (per_hour > 0),
  per_day integer check (per_day > 0),
  at_once integer check (at_once > 0),
  new_per_hour integer check (new_per_hour > 0),
  new_per_day integer check (new_per_day > 0),
  new_at_once integer check (new_at_once > 0),
  new_for interval not null default '3 days'
);
alter table private.activity_limits enable row level security;

comment on table private.activity_limits is
  'How often a person may do something: change a number here and it holds from the next request on';
comment on column private.activity_limits.action is
  'Name that triggers and functions pass to private.count_activity; an action without a row has no limit';
comment on column private.activity_limits.per_hour is 'Highest number of actions in an hour; null for no limit';
comment on column private.activity_limits.per_day is 'Highest number of actions in a day; null for no limit';
comment on column private.activity_limits.at_once is
  'Highest number of rows that a person can have at the same time; null for no limit';
comment on column private.activity_limits.new_per_hour is 'The same as per_hour, for new accounts';
comment on column private.activity_limits.new_per_day is 'The same as per_day, for new accounts';
comment on column private.activity_limits.new_at_once is 'The same as at_once, for new accounts';
comment on column private.activity_limits.new_for is
  'Age until which an account is new, unless it is verified or has completed a task';

create table private.activity_counts (
  person_id uuid not null references private.profiles (id) on delete cascade,
  action text not null,
  subject_id uuid not null,
  hour_began timestamptz not null,
  hour_count integer not null,
  day_began timestamptz not null,
  day_count integer not null,
  primary key (person_id, action, subject_id)
) with (fillfactor = 70);
alter table private.activity_counts enable row level security;

comment on table private.activity_counts is
  'Counted actions of each person, for private.activity_limits; rows older than a day are deleted every night';
comment on column private.activity_counts.action is 'As in private.activity_limits';
comment on column private.activity_counts.subject_id is
  'The tasker, task or booking of a limit on one subject; otherwise zeros';
comment on column private.activity_counts.hour_began is 'Time of the first action of the counted hour';
comment on column private.activity_counts.hour_count is 'Number of actions since hour_began';
comment on column private.activity_counts.day_began is 'Time of the first action of the counted day';
comment on column private.activity_counts.day_count is 'Number of actions since day_began';

-- Whether the lower limits of new accounts apply.
create function private.is_new_account(person uuid, new_for interval) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return not exists (select from private.profiles p where p.id = person
    and (p.created_at <= now() - new_for or p.is_verified or p.completed_tasks > 0));
end $$;

-- Raises HTTP 429; the parameter `again_at` is when the action is possible again.
create function private.refuse_activity(allowed integer, is_new boolean, free_at timestamptz, by_day boolean) returns void
language plpgsql set search_path = '' as $$
declare
  minutes constant integer := greatest(1, ceil(extract(epoch from free_at - clock_timestamp()) / 60));
begin
  perform private.fail(case when by_day and is_new then 'activity.new_account_daily_limit' when by_day then 'activity.daily_limit'
      when is_new then 'activity.new_account_hourly_limit' else 'activity.hourly_limit' end, null,
    jsonb_build_object('limit', allowed, 'again_at', to_char(free_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
      || case when by_day then jsonb_build_object('hours', ceil(minutes / 60.0)) else jsonb_build_object('minutes', minutes) end,
    'PT429');
end $$;

-- Counts one action of the caller and raises if that exceeds a limit. The count stays locked until the transaction ends, so
-- concurrent requests are counted one after the other.
create function private.count_activity(wanted text, subject uuid default '00000000-0000-0000-0000-000000000000') returns void
language plpgsql security definer set search_path = '' as $$
declare
  moment constant timestamptz := clock_timestamp();
  limits private.activity_limits;
  counts private.activity_counts;
  is_new boolean;
begin
  select * into limits from private.activity_limits where action = wanted;
  if limits.action is null or auth.uid() is null then
    return;
  end if;
  insert into private.activity_counts as c (person_id, action, subject_id, hour_began, hour_count, day_began, day_count)
  select id, wanted, subject, moment, 1, moment, 1 from private.profiles where id = auth.uid()
  on conflict (person_id, action, subject_id) do update set
    hour_began = case when c.hour_began > moment - interval '1 hour' then c.hour_began else moment end,
    hour_count = case when c.hour_began > moment - interval '1 hour' then c.hour_count else 0 end + 1,
    day_began = case when c.day_began > moment - interval '1 day' then c.day_began else moment end,
    day_count = case when c.day_began > moment - interval '1 day' then c.day_count else 0 end + 1
  returning * into counts;
  -- The usual case: no limit is near, so no further query is needed.
  if (counts.hour_count > least(limits.per_hour, limits.new_per_hour)
      or counts.day_count > least(limits.per_day, limits.new_per_day)) is not true or private.is_admin()
  then
    return;
  end if;
  is_new := private.is_new_account(auth.uid(), limits.new_for);
  if is_new then
    limits.per_hour := least(limits.new_per_hour, limits.per_hour);
    limits.per_day := least(limits.new_per_day, limits.per_day);
  end if;
  if counts.day_count > limits.per_day then
    perform private.refuse_activity(limits.per_day, is_new, counts.day_began + interval '1 day', true);
  elsif counts.hour_count > limits.per_hour then
    perform private.refuse_activity(limits.per_hour, is_new, counts.hour_began + interval '1 hour', false);
  end if;
end $$;

-- Raises if the caller already has `present` rows and that is the most allowed. Call it after count_activity, whose lock makes
-- concurrent requests wait.
create function private.check_at_once(wanted text, present bigint) returns void
language plpgsql security definer set search_path = '' as $$
declare
  limits private.activity_limits;
begin
  select * into limits from private.activity_limits where action = wanted;
  if (present >= least(limits.at_once, limits.new_at_once)) is not true or auth.uid() is null or private.is_admin() then
    return;
  end if;
  if private.is_new_account(auth.uid(), limits.new_for) then
    limits.at_once := least(limits.new_at_once, limits.at_once);
  end if;
  if present >= limits.at_once then
    perform private.fail('activity.too_many_at_once', null, jsonb_build_object('limit', limits.at_once), 'PT429');
  end if;
end $$;

-- Triggers and steps that count after the row run last. The count is then the last lock that a transaction takes, which
-- prevents deadlocks: accepting one application also locks the others.

-- Counts a row that a client writes towards the person's limit for the action (private.activity_limits). A step of triggers.
create function private.limit_client(action text) returns void language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    perform private.count_activity(action);
  end if;
end $$;

-- Counts a new task towards the limits of the giver. `asked` is the only tasker it is offered to; null if it is open to all.
create function private.count_new_task(asked uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_activity('tasks_posted');
  perform private.check_at_once('tasks_posted',
    (select count(*) from public.tasks where task_giver_id = auth.uid() and status in ('open', 'asked')));
  if asked is not null then
    perform private.count_activity('taskers_asked');
    perform private.count_activity('same_tasker_asked', asked);
  end if;
end $$;

-- Counts a card that the caller saves towards their limits, over time and at the same time.
create function private.count_new_card() returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_activity('cards_saved');
  perform private.check_at_once('cards_saved', (select count(*) from public.payment_methods where user_id = auth.uid()));
end $$;

-- Counts a changed task towards the limits of the giver, in all and for this task.
create function private.limit_task_changes(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('tasks_changed');
  perform private.count_activity('same_task_changed', task);
end $$;

-- Counts an application towards the limits of the tasker, in all and for this task.
create function private.limit_applications(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    perform private.count_activity('applications_sent');
    perform private.count_activity('same_task_applied_to', task);
  end if;
end $$;

-- Counts an answer to an application towards the limits of the giver, if the caller is the giver.
create function private.limit_answers(booking uuid, giver uuid) returns void
language plpgsql set search_path = '' as $$
begin
  if auth.uid() = giver then
    perform private.count_activity('applications_answered');
    perform private.count_activity('same_application_answered', booking);
  end if;
end $$;

-- Counts profile changes, except those of last_active, towards the limits of the person. An own trigger, because
-- after_profile_change runs as its owner and cannot see whether a client makes the change, and generated columns are null before.
create function private.limit_profile() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.id = auth.uid() and to_jsonb(new) - '{last_active,updated_at}'::text[]
    <> to_jsonb(old) - '{last_active,updated_at}'::text[]
  then
    perform private.count_activity('profile_changes');
  end if;
  return null;
end $$;

create trigger within_limit after update on private.profiles
for each row execute function private.limit_profile();

grant execute on function
  private.count_activity(text, uuid), private.count_new_task(uuid)
to authenticated;
grant execute on function
  private.limit_client(text), private.count_new_card(), private.limit_task_changes(uuid), private.limit_applications(uuid)
to authenticated, service_role;

insert into private.activity_limits (action, per_hour, per_day, at_once, new_per_hour, new_per_day, new_at_once) values
  ('tasks_posted', 30, 100, 100, 15, 25, 25),
  ('taskers_asked', 15, 40, null, 8, 15, null),
  ('same_tasker_asked', 5, 8, null, 3, 5, null),
  ('travel_asked', 60, 150, null, 30, 60, null),
  ('same_tasker_travel_asked', 15, 25, null, 10, 15, null),
  ('tasks_changed', 60, 200, null, 30, 60, null),
  ('same_task_changed', 15, 30, null, 10, 20, null),
  ('addresses_changed', 60, 200, null, 30, 60, null),
  ('applications_sent', 30, 100, null, 15, 30, null),
  ('same_task_applied_to', 4, 6, null, 3, 4, null),
  ('applications_answered', 100, 300, null, 50, 100, null),
  ('same_application_answered', 6, 10, null, 6, 10, null),
  ('messages_sent', 300, 1500, null, 120, 500, null),
  ('reports_made', null, null, null, 3, 5, null),
  ('taskers_saved', 120, 500, null, 60, 150, null),
  ('profile_changes', 60, 200, null, 40, 100, null),
  ('settings_changes', 300, 1000, null, 300, 1000, null),
  ('verifications_submitted', 5, 10, null, 5, 10, null),
  ('cards_saved', 10, 20, 20, 5, 10, 10),
  ('payout_account_changes', 20, 50, null, 20, 50, null),
  ('browsers_subscribed', 30, 60, null, 30, 60, null),
  ('exports_requested', 3, 5, null, 3, 5, null);
insert into private.activity_limits (action, per_hour, per_day, new_per_hour, new_per_day) values ('emails_resumed', 3, 5, 3, 5);

select cron.schedule('forget-activity', '23 3 * * *',
  $$delete from private.activity_counts where day_began < now() - interval '1 day'$$);
