-- The events of notifications and e-mails: the English texts, kind and topic of each. notification_rows.sql has the rows.

set check_function_bodies = off;

create table private.notification_texts (
  key text primary key,
  title text not null,
  message text not null,
  kind public.notification_kind not null default 'bookings' references private.notification_kinds (kind),
  subject text,
  button text not null default 'Open Meadowlark',
  amounts text check (amounts in ('total', 'payout', 'refund')),
  by_email boolean not null default true,
  part text,
  topic text
);
alter table private.notification_texts enable row level security;

comment on table private.notification_texts is 'The events of notifications and e-mails, with their English texts (ADR 0035)';
comment on column private.notification_texts.key is 'Name of the event, also of its translations in shared/texts';
comment on column private.notification_texts.title is 'With {{parameters}}, like message, subject and button';
comment on column private.notification_texts.message is 'The text below the title';
comment on column private.notification_texts.kind is 'The kind that people choose to receive or turn off';
comment on column private.notification_texts.subject is 'The e-mail''s subject; null for the title and the task';
comment on column private.notification_texts.button is 'Label of the e-mail''s button';
comment on column private.notification_texts.amounts is
  'Which amounts an e-mail lists: total (the giver pays), payout (the tasker receives) or refund; null for none';
comment on column private.notification_texts.by_email is
  'Whether the event is e-mailed; messages are mailed separately, once they have been unread for a while';
comment on column private.notification_texts.part is
  'Part of the booking that the link opens (next, answer), as in web/lib/paths.ts; null for the whole';
comment on column private.notification_texts.topic is
  'Unread events of one topic about the same task and tasker replace each other; null: each event is a notification';

create index notification_texts_of_kind on private.notification_texts (kind);

-- A parameter whose words are listed under `values` in shared/texts; null without a code. Text that people wrote is a plain string.
create function private.coded(code text) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object('code', code) where code is not null
$$;

-- Parameters as they are stored: the English words of each coded one under its name, and its code under `codes`, by which clients
-- translate.
create function private.with_words(params jsonb) returns jsonb
language sql stable set search_path = '' as $$
  select params || coalesce(jsonb_object_agg(name, private.filled_text(private.notification_values() #>> array[name, value ->> 'code'], '{}'))
    || jsonb_build_object('codes', coalesce(params -> 'codes', '{}') || jsonb_object_agg(name, value -> 'code')), '{}')
  from jsonb_each(params) as each (name, value) where jsonb_typeof(value) = 'object' and value ? 'code' and name <> 'codes'
$$;

-- A time in English texts, in the format of the screens: 'Tuesday, July 21, 2:30 p.m.', by the marketplace's clock or another one; null
-- without one.
create function private.day_and_time(at timestamptz, time_zone text default private.time_zone()) returns text
language sql stable set search_path = '' as $$
  select to_char(at at time zone day_and_time.time_zone, 'FMDay, FMMonth FMDD, FMHH12:MI a.m.')
$$;

-- The parameters of an event about a task. If its place has another clock than the marketplace, `zone` is that clock, and `local` has
-- the English words by it. `when` stays by the marketplace's clock, which the previous version of edge functions names.
create function private.with_clock(params jsonb, booking uuid, link text) returns jsonb
language sql stable set search_path = '' as $$
  select params || coalesce((
    select jsonb_build_object('zone', zone.name, 'local', jsonb_build_object(
      'when', private.day_and_time((params ->> 'at')::timestamptz, zone.name), 'clock', private.clock_names() ->> zone.name))
    from public.tasks t cross join lateral (select private.zone_of_task(t)) zone (name)
    where params ? 'at' and zone.name <> private.time_zone() and t.id = coalesce((params ->> 'task_id')::uuid,
      substring(link from '^/task/([0-9a-f-]{36})')::uuid, (select b.task_id from public.bookings b where b.id = booking))), '{}')
$$;

-- The text with {name} and ${name}, as edge functions of the previous version read it. Can go once that version is not in use.
create function private.earlier_syntax(template text) returns text
language sql immutable set search_path = '' as $$
  select regexp_replace(regexp_replace(replace(template, '{{clock}}', private.marketplace() #>> '{texts,clock}'),
    '\{\{(\w+), (?:money|price)\}\}', '${\1}', 'g'), '\{\{(\w+)\}\}', '{\1}', 'g')
$$;
