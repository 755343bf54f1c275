-- clocks and live changes: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create function private.before_booking_change_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  select b.task_giver_id, b.task_doer_id into strict new.task_giver_id, new.task_doer_id
  from public.bookings b where b.id = new.booking_id;
  return new;
end $$;

create function private.clock_names() returns jsonb language sql immutable set search_path = '' as $$ select jsonb '{"America/Edmonton":"Mountain Time","America/Winnipeg":"Central Time"}' $$;

create function private.day_and_time(at timestamptz, time_zone text default private.time_zone()) returns text
language sql stable set search_path = '' as $$
  select to_char(at at time zone day_and_time.time_zone, 'FMDay, FMMonth FMDD, FMHH12:MI a.m.')
$$;

create or replace function private.describe_changes(facts jsonb) returns text
language sql stable set search_path = '' as $$
  select string_agg(private.filled_text(private.change_texts() #>> array['changes', fact ->> 'what'],
      jsonb_strip_nulls(fact || jsonb_build_object('clock', private.clock_names() ->> (fact ->> 'zone'),
        'when', private.day_and_time((fact ->> 'at')::timestamptz, coalesce(fact ->> 'zone', private.time_zone()))))),
    private.change_texts() ->> 'betweenChanges' order by nth)
  from jsonb_array_elements(facts) with ordinality as each (fact, nth)
$$;

create or replace function private.filled_text(template text, params jsonb) returns text
language sql immutable set search_path = '' as $$
  select string_agg(part[1] || case when part[3] is null then '' else '$' end
    || coalesce(params #>> array['local', part[2]], params ->> part[2], private.marketplace() #>> array['texts', part[2]], ''), '' order by nth)
  from regexp_matches(template, '(.*?)(?:\{\{(\w+)(, (?:money|price))?\}\}|$)', 'g') with ordinality as parts (part, nth)
$$;

create or replace function private.list_changes(before public.tasks, task public.tasks, agreed numeric) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(fact order by nth), '[]')
  from private.task_changes() with ordinality as change (what, columns, nth)
  cross join lateral (select case what
      when 'price' then jsonb_build_object('what', what, 'amount', task.pay_amount)
      when 'stays' then case when agreed <> task.pay_amount then jsonb_build_object('what', what, 'amount', agreed) end
      when 'time' then case when task.scheduled_date is not null
        then jsonb_strip_nulls(jsonb_build_object('what', what, 'at', task.scheduled_date,
          'zone', nullif(private.zone_of_task(task), private.time_zone()))) end
      when 'anytime' then case when task.scheduled_date is null then jsonb_build_object('what', what) end
      when 'place' then jsonb_build_object('what', what, 'place', task.location)
      else jsonb_build_object('what', what) end as fact) as named
  where fact is not null and exists (
    select from unnest(columns) as name where to_jsonb(before) -> name is distinct from to_jsonb(task) -> name)
$$;

create or replace function private.notify_person(person uuid, event_key text, event_params jsonb, event_link text) returns void
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

create function private.with_clock(params jsonb, booking uuid, link text) returns jsonb
language sql stable set search_path = '' as $$
  select params || coalesce((
    select jsonb_build_object('zone', zone.name, 'local', jsonb_build_object(
      'when', private.day_and_time((params ->> 'at')::timestamptz, zone.name), 'clock', private.clock_names() ->> zone.name))
    from public.tasks t cross join lateral (select private.zone_of_task(t)) zone (name)
    where params ? 'at' and zone.name <> private.time_zone() and t.id = coalesce((params ->> 'task_id')::uuid,
      substring(link from '^/task/([0-9a-f-]{36})')::uuid, (select b.task_id from public.bookings b where b.id = booking))), '{}')
$$;

alter table public.booking_changes add column task_doer_id uuid default '00000000-0000-0000-0000-000000000000'::uuid not null;

alter table public.booking_changes add column task_giver_id uuid default '00000000-0000-0000-0000-000000000000'::uuid not null;

update public.booking_changes c set task_giver_id = b.task_giver_id, task_doer_id = b.task_doer_id
from public.bookings b where b.id = c.booking_id;

create trigger before_booking_change_insert before insert on public.booking_changes
for each row execute function private.before_booking_change_insert();

drop function private.day_and_time(timestamp with time zone);

comment on column public.booking_changes.task_doer_id is 'The booking''s tasker, copied so that screens can subscribe to their person''s rows';
comment on column public.booking_changes.task_giver_id is 'The booking''s giver, copied so that screens can subscribe to their person''s rows';
comment on column public.notifications.params is 'Values for the {{parameters}} of the texts; amounts are dollars; `codes` has the codes of those with words of their own, by name; `zone` is the clock of the task''s place if the marketplace has another one, and `local` the English words by it';

alter publication supabase_realtime add table public.booking_changes;

update private.notification_texts t set subject = named.subject from (values
  ('time_accepted', '"{{task}}" is now on {{when}} ({{clock}})'),
  ('work_soon', 'Soon: "{{task}}" at {{when}} ({{clock}})'),
  ('visit_skipped', '{{person}} skipped "{{task}}" on {{when}} ({{clock}})'),
  ('visit_cancelled', '{{person}} cancelled "{{task}}" on {{when}} ({{clock}})'),
  ('snow_reported', '{{cm}} cm of snow: "{{task}}" on {{when}} ({{clock}})'),
  ('visit_due', 'Please pay for "{{task}}" on {{when}} ({{clock}})'),
  ('visit_charge_soon', 'Your card pays for "{{task}}" on {{when}} ({{clock}})'),
  ('visit_charge_failed', 'Please pay for "{{task}}" by {{when}} ({{clock}})'),
  ('work_reminder', 'Coming up: "{{task}}" on {{when}} ({{clock}})'),
  ('pay_reminder', 'Please pay for "{{task}}" by {{when}} ({{clock}})')
) named (key, subject) where t.key = named.key;
