-- Notifications: what the bell shows, the kinds by which people choose what to receive, and the function that writes them.

set check_function_bodies = off;

-- People choose for each kind whether it comes to the bell, by e-mail or as a push.
create type public.notification_kind as enum (
  'applications', 'bookings', 'payments', 'complaints', 'messages', 'reviews', 'verification', 'account', 'admin', 'alerts');

create table public.notifications (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references private.profiles (id) on delete cascade,
  title text not null,
  message text not null,
  link text,
  read boolean not null default false,
  created_at timestamptz not null default now(),
  key text not null,
  params jsonb not null default '{}',
  subject_key text,
  delivered_keys text[] not null default '{}'
);
alter table public.notifications enable row level security;

comment on table public.notifications is
  'Notifications that the bell shows; only database functions write rows, and people mark their own as read';
comment on column public.notifications.user_id is 'The recipient';
comment on column public.notifications.title is 'English text; the app shows its own translation by key and params';
comment on column public.notifications.message is 'English text; the app shows its own translation by key and params';
comment on column public.notifications.link is 'Path in the app that opens on a click; null for none';
comment on column public.notifications.read is 'Whether the person has read it';
comment on column public.notifications.created_at is 'Time of the latest event that the row shows';
comment on column public.notifications.key is 'Event, a key of private.notification_texts and of the app''s translations';
comment on column public.notifications.params is
  'Values for the {{parameters}} of the texts; amounts are dollars; `codes` has the codes of those with words of their own, by name; `zone` is the clock of the task''s place if the marketplace has another one, and `local` the English words by it';
comment on column public.notifications.subject_key is
  'Topic, task and tasker; a later event with the same one updates the unread row; cleared when it is read';
comment on column public.notifications.delivered_keys is
  'Keys of the events that were sent by e-mail and push while it was unread';

create table private.notification_kinds (
  kind public.notification_kind primary key,
  required boolean not null default false,
  gather interval not null default '2 minutes'
);
alter table private.notification_kinds enable row level security;

comment on table private.notification_kinds is 'The kinds of notifications by which people choose what to receive';
comment on column private.notification_kinds.required is
  'Whether it always comes to the bell and by e-mail: money that moved, and decisions with a time limit';
comment on column private.notification_kinds.gather is 'How long an event waits for others, so that they become one e-mail';

create table public.notification_preferences (
  user_id uuid not null default auth.uid() references private.profiles (id) on delete cascade,
  kind public.notification_kind not null references private.notification_kinds (kind),
  bell boolean not null default true,
  email boolean not null default true,
  updated_at timestamptz not null default now(),
  push boolean not null default true,
  primary key (user_id, kind)
);
alter table public.notification_preferences enable row level security;

comment on table public.notification_preferences is
  'A person''s choices; a kind without a row comes to the bell, by e-mail and as a push';
comment on column public.notification_preferences.bell is 'Whether the kind shows at the bell';
comment on column public.notification_preferences.email is 'Whether the kind is e-mailed';
comment on column public.notification_preferences.push is 'Whether the kind is sent to the person''s browsers';

create index notifications_newest on public.notifications (user_id, created_at desc);
create index notifications_unread on public.notifications (user_id) where not read;
-- Finds the unread notification of a conversation, however many others a person has left unread.
create index notifications_message_notices on public.notifications (user_id, (params ->> 'booking'))
where not read and key = 'message_received';
create index notification_preferences_of_kind on public.notification_preferences (kind);
create index notifications_oldest on public.notifications using brin (created_at);
create unique index notifications_subject_key on public.notifications (user_id, subject_key) where subject_key is not null and not read;

-- Notifies a person at the bell, by push and by e-mail. Parameters can be coded (private.coded). An event with the subject key of
-- an unread notification updates that one. '/bookings' becomes a link to the event's booking, which opens the right side of My Bookings.
create function private.notify_person(person uuid, event_key text, event_params jsonb, event_link text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  texts private.notification_texts;
  place text := event_link;
  event_subject_key text;
  unread public.notifications;
  booking constant uuid := private.booking_of_event(person, event_params, event_link);
begin
  event_params := private.with_clock(private.with_words(private.with_names(event_params, person, booking)), booking, event_link);
  select * into strict texts from private.notification_texts where key = event_key;
  event_subject_key := private.event_subject_key(person, texts.topic, event_params, event_link);
  if event_subject_key is not null then
    select * into unread from public.notifications n where n.user_id = person and n.subject_key = event_subject_key and not n.read for update;
    event_params := private.merged_changes(unread.params, event_params);
  end if;
  if texts.part is not null then
    place := coalesce(private.booking_link(booking) || '&part=' || texts.part, event_link);
  elsif event_link = '/bookings' then
    place := coalesce(private.booking_link(booking), event_link);
  end if;
  insert into public.notifications as n (user_id, title, message, link, key, params, subject_key, delivered_keys)
  select id, private.filled_text(texts.title, event_params), private.filled_text(texts.message, event_params), place, event_key,
    event_params, event_subject_key, array[event_key]
  from private.profiles where id = person and deleted_at is null and private.wants_bell(person, texts.kind)
  on conflict (user_id, subject_key) where subject_key is not null and not read do update set title = excluded.title,
    message = excluded.message, link = excluded.link, key = excluded.key, params = excluded.params, created_at = now(),
    delivered_keys = case when excluded.key = any (n.delivered_keys) then n.delivered_keys else n.delivered_keys || excluded.delivered_keys end;
  perform private.queue_push(person, event_key, event_params, place, event_subject_key, coalesce(event_key = any (unread.delivered_keys), false));
  if texts.by_email then
    perform private.queue_email(person, event_key, event_params, place, event_subject_key, coalesce(event_key = any (unread.delivered_keys), false));
  end if;
end $$;

create function private.notify_admins(event_key text, event_params jsonb, event_link text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  admin uuid;
begin
  for admin in select user_id from public.user_roles where role = 'admin' order by user_id loop
    perform private.notify_person(admin, event_key, event_params, event_link);
  end loop;
end $$;

-- The link to one booking in the list of My Bookings.
create function private.booking_link(booking uuid) returns text
language sql immutable set search_path = '' as $$
  select '/bookings?booking=' || booking
$$;

-- A person's short name. Texts for admins use private.full_name.
create function private.person_name(person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select private.with_words(jsonb_build_object('person', private.name_for(null, person, null))) ->> 'person'
$$;

-- A person in the parameters of a notification; private.with_names writes the name.
create function private.named(person uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('profile', person)
$$;

-- The parameters with people's names as the reader of an event about that booking sees them.
create function private.with_names(params jsonb, reader uuid, booking uuid) returns jsonb
language sql stable set search_path = '' as $$
  select params || coalesce(jsonb_object_agg(name, private.name_for(reader, (value ->> 'profile')::uuid, booking)), '{}')
  from jsonb_each(params) as each (name, value) where jsonb_typeof(value) = 'object' and value ? 'profile'
$$;

-- A person's name as a parameter: the full name where the reader sees it on the profile or the booking of the event was accepted,
-- otherwise first name and initial; coded for a deleted account.
create function private.name_for(reader uuid, person uuid, booking uuid) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(
    (select to_jsonb(case
        when exists (select from public.bookings b where b.status in ('accepted', 'in_progress', 'completed')
          and (b.task_giver_id, b.task_doer_id) in ((reader, person), (person, reader)))
        or exists (select from public.bookings b where b.id = name_for.booking and b.accepted_at is not null
          and (b.task_giver_id, b.task_doer_id) in ((reader, person), (person, reader)))
      then p.full_name else p.short_name end) from private.profiles p where p.id = person),
    (select private.coded('deleted_user') where private.is_account_deleted(person)), '"Someone"')
$$;

create function private.is_required(wanted public.notification_kind) returns boolean
language sql stable security definer set search_path = '' as $$
  select required from private.notification_kinds where kind = wanted
$$;

-- Whether the person wants e-mails of that kind. Suspended people get only the required kinds.
create function private.wants_email(person uuid, wanted public.notification_kind) returns boolean
language sql stable security definer set search_path = '' as $$
  select private.is_required(wanted) or (not private.is_suspended(person) and coalesce(
    (select email from public.notification_preferences where user_id = person and kind = wanted), true))
$$;

-- Whether notifications of that kind show at the person's bell.
create function private.wants_bell(person uuid, wanted public.notification_kind) returns boolean
language sql stable security definer set search_path = '' as $$
  select private.is_required(wanted) or coalesce(
    (select bell from public.notification_preferences where user_id = person and kind = wanted), true)
$$;

-- Before a preference is set. The bell and e-mails of a required kind cannot be turned off.
create function private.before_notification_preference_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(new.email or not private.is_required(new.kind), 'notification.required_kind', 'email');
  perform private.require(new.bell or not private.is_required(new.kind), 'notification.required_kind', 'bell');
  new := private.stamp_preference(new);
  return new;
end $$;

create trigger before_notification_preference_change before insert or update on public.notification_preferences
for each row execute function private.before_notification_preference_change();

-- Sets updated_at.
create function private.stamp_preference(preference public.notification_preferences) returns public.notification_preferences
language plpgsql stable set search_path = '' as $$
begin
  preference.updated_at := now();
  return preference;
end $$;

-- Counts a client's change of settings towards the person's limits. Runs last (activity_limits.sql).
create function private.limit_settings_changes() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.limit_client('settings_changes');
  return null;
end $$;

-- The caller's choices, one row for each kind that concerns them.
create function public.notification_settings()
returns table (kind public.notification_kind, bell boolean, email boolean, push boolean, required boolean)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null, 'account.not_authenticated');
  return query select k.kind, private.wants_bell(auth.uid(), k.kind), private.wants_email(auth.uid(), k.kind),
    private.wants_push(auth.uid(), k.kind), k.required
  from private.notification_kinds k where k.kind <> 'admin' or private.is_admin() order by k.kind;
end $$;

-- Changes parameters of a notification, also coded ones, and rebuilds its English title and message, as when content is hidden.
create function private.refill_notification(notification uuid, changed jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  refilled public.notifications;
  texts private.notification_texts;
begin
  select * into refilled from public.notifications where id = notification;
  select * into texts from private.notification_texts where key = refilled.key;
  if texts.key is null then -- a text that a later version has no more
    delete from public.notifications where id = notification;
    return;
  end if;
  refilled.params := private.with_words(refilled.params || changed);
  update public.notifications set params = refilled.params, title = private.filled_text(texts.title, refilled.params),
    message = private.filled_text(texts.message, refilled.params) where id = notification;
end $$;

create trigger within_limit after insert or update on public.notification_preferences
for each row execute function private.limit_settings_changes();

-- Before a notification changes.
create function private.before_notification_update() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.read and new.subject_key is not null then
    new := private.clear_subject_key(new);
  end if;
  return new;
end $$;

create trigger before_notification_update before update on public.notifications
for each row execute function private.before_notification_update();

-- Clears the subject key, so that the next event with the same subject creates a new notification.
create function private.clear_subject_key(notification public.notifications) returns public.notifications
language plpgsql immutable set search_path = '' as $$
begin
  notification.subject_key := null;
  return notification;
end $$;

-- '<topic> <task> <tasker>' of an event; null if it has no topic or no known task.
create function private.event_subject_key(person uuid, topic text, params jsonb, link text) returns text
language plpgsql stable security definer set search_path = '' as $$
declare
  task constant text := coalesce(params ->> 'task_id', substring(link from '^/task/([0-9a-f-]{36})'));
begin
  if topic is null then
    return null;
  elsif task is not null then
    return concat_ws(' ', topic, task, person);
  end if;
  return (select concat_ws(' ', topic, b.task_id, b.task_doer_id) from public.bookings b
    where b.id = private.booking_of_event(person, params, link));
end $$;

-- The list that private.list_changes returns, in English words; null for an empty one.
create function private.describe_changes(facts jsonb) returns text
language sql stable set search_path = '' as $$
  select string_agg(private.filled_text(private.change_texts() #>> array['changes', fact ->> 'what'],
      jsonb_strip_nulls(fact || jsonb_build_object('clock', private.clock_names() ->> (fact ->> 'zone'),
        'when', private.day_and_time((fact ->> 'at')::timestamptz, coalesce(fact ->> 'zone', private.time_zone()))))),
    private.change_texts() ->> 'betweenChanges' order by nth)
  from jsonb_array_elements(facts) with ordinality as each (fact, nth)
$$;

-- The later event's params, with earlier unread changes added. A later change of the same field replaces the earlier one.
create function private.merged_changes(earlier jsonb, later jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  same constant jsonb := '{"stays": "price", "anytime": "time"}';
  facts jsonb;
begin
  if not (earlier ? 'changed' and later ? 'changed') then
    return later;
  end if;
  select jsonb_agg(fact order by array_position(array(select what from private.task_changes()), fact ->> 'what')) into facts
  from (select fact from jsonb_array_elements(later -> 'changed') fact
    union all select fact from jsonb_array_elements(earlier -> 'changed') fact where not exists (
      select from jsonb_array_elements(later -> 'changed') newer
      where coalesce(same ->> (newer ->> 'what'), newer ->> 'what') = coalesce(same ->> (fact ->> 'what'), fact ->> 'what'))) all_facts;
  return later || jsonb_build_object('changed', facts, 'changes', private.describe_changes(facts));
end $$;

create policy "people read their own notifications" on public.notifications for select to authenticated
using (user_id = (select auth.uid()));

create policy "people mark their own notifications" on public.notifications for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "people read their own preferences" on public.notification_preferences for select to authenticated
using (user_id = (select auth.uid()));

create policy "people set their own preferences" on public.notification_preferences for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "people change their own preferences" on public.notification_preferences for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "deleted accounts cannot set preferences" on public.notification_preferences as restrictive for insert to authenticated
with check ((select private.has_account()));

grant select, insert (user_id, kind, bell, email, push), update (kind, bell, email, push) on public.notification_preferences to authenticated;
grant select, update (read) on public.notifications to authenticated;
grant execute on function
  private.is_required(notification_kind), private.stamp_preference(public.notification_preferences),
  private.clear_subject_key(public.notifications)
to authenticated, service_role;
grant execute on function
  public.notification_settings()
to authenticated;

insert into private.notification_kinds (kind, required, gather) values
  ('applications', false, '2 minutes'), ('bookings', false, '2 minutes'), ('payments', true, '2 minutes'),
  ('complaints', true, '2 minutes'), ('messages', false, '10 minutes'), ('reviews', false, '2 minutes'),
  ('verification', false, '2 minutes'), ('admin', false, '10 minutes'), ('alerts', false, '2 minutes');

insert into private.notification_kinds (kind, required) values ('account', true);
