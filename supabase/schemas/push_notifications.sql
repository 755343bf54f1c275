-- Web push: notifications sent to the browsers that a person subscribed with, outside their quiet hours.
-- https://www.rfc-editor.org/rfc/rfc8030

set check_function_bodies = off;

create table public.quiet_hours (
  user_id uuid primary key default auth.uid() references private.profiles (id) on delete cascade,
  starts time not null,
  ends time not null,
  constraint quiet_hours_end check (starts <> ends)
);
alter table public.quiet_hours enable row level security;

comment on table public.quiet_hours is
  'Hours of the day when nothing is pushed to a person; delayed pushes are sent when they end';
comment on column public.quiet_hours.starts is 'By the marketplace''s clock';
comment on column public.quiet_hours.ends is 'By the marketplace''s clock; before starts if the hours span midnight';

create table public.push_subscriptions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references private.profiles (id) on delete cascade,
  endpoint text not null unique,
  p256dh text not null,
  auth_secret text not null,
  session_id uuid,
  created_at timestamptz not null default now()
);
alter table public.push_subscriptions enable row level security;

comment on table public.push_subscriptions is 'Browsers that receive pushes, at most ten for each person';
comment on column public.push_subscriptions.endpoint is 'Address at the browser''s push service';
comment on column public.push_subscriptions.p256dh is 'The browser''s public key in base64url (RFC 8291)';
comment on column public.push_subscriptions.auth_secret is 'The browser''s secret in base64url (RFC 8291)';
comment on column public.push_subscriptions.session_id is
  'The session of auth.sessions in which the browser subscribed; the subscription ends with it';

create table private.push_messages (
  id uuid primary key default gen_random_uuid(),
  subscription_id uuid not null references public.push_subscriptions (id) on delete cascade,
  key text not null references private.notification_texts (key) on delete cascade,
  params jsonb not null,
  link text not null,
  attempts integer not null default 0,
  due_at timestamptz not null,
  taken_until timestamptz,
  subject_key text
);
alter table private.push_messages enable row level security;

comment on table private.push_messages is
  'Queued pushes, one for each browser; deleted when they are sent, dropped or a day old';
comment on column private.push_messages.key is 'Event, a key of private.notification_texts';
comment on column private.push_messages.params is
  'Values for the {{parameters}} of the texts; amounts are dollars; `codes` has the codes of those with words of their own, by name';
comment on column private.push_messages.link is 'Path in the app that opens on a click';
comment on column private.push_messages.attempts is 'Number of tries, at most five';
comment on column private.push_messages.due_at is
  'When it can be handed out to the function send-push; after the person''s quiet hours';
comment on column private.push_messages.taken_until is 'A sender has taken the message until then; null while nobody has';
comment on column private.push_messages.subject_key is
  'Topic, task and tasker; a later event with the same one updates the waiting push; null for none';

create index push_subscriptions_of_person on public.push_subscriptions (user_id, created_at);
create index push_messages_of_subscription on private.push_messages (subscription_id);
create index push_messages_of_key on private.push_messages (key);
create index push_messages_due on private.push_messages (due_at);
create index push_messages_subject_key on private.push_messages (subject_key) where subject_key is not null;

create function private.wants_push(person uuid, wanted public.notification_kind) returns boolean
language sql stable security definer set search_path = '' as $$
  select (private.is_required(wanted) or not private.is_suspended(person)) and coalesce(
    (select push from public.notification_preferences where user_id = person and kind = wanted), true)
$$;

-- When a push created at `at` can be sent to that person.
create function private.push_time(person uuid, at timestamptz) returns timestamptz
language plpgsql stable security definer set search_path = '' as $$
declare
  quiet public.quiet_hours;
  here constant timestamp := at at time zone private.time_zone();
  during boolean;
begin
  select * into quiet from public.quiet_hours q where q.user_id = person;
  during := case when quiet.starts < quiet.ends then here::time >= quiet.starts and here::time < quiet.ends
    else here::time >= quiet.starts or here::time < quiet.ends end;
  if during is not true then
    return at;
  end if;
  return (here::date + quiet.ends + case when here::time < quiet.ends then interval '0' else interval '1 day' end)
    at time zone private.time_zone();
end $$;

-- Subscribes the caller's browser. Only the browser knows its endpoint, so the endpoint moves to the last person who presents
-- it. Can be repeated. Each person keeps their ten newest browsers. Keys have the lengths that RFC 8291 requires.
create function public.save_push_subscription(endpoint text, p256dh text, auth_secret text) returns void
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
begin
  perform private.allow(auth.uid() is not null and private.has_account(), 'account.not_authenticated');
  perform private.check_push_endpoint(save_push_subscription.endpoint);
  -- 87 characters encode 65 bytes; the first byte is 4 for an uncompressed point (SEC 1, section 2.3.3).
  perform private.require(save_push_subscription.p256dh ~ '^B[A-P][A-Za-z0-9_-]{85}$',
    'push.key_invalid', 'p256dh');
  perform private.require(save_push_subscription.auth_secret ~ '^[A-Za-z0-9_-]{22}$',
    'push.secret_invalid', 'auth_secret');
  insert into public.push_subscriptions as s (user_id, endpoint, p256dh, auth_secret, session_id)
  values (auth.uid(), save_push_subscription.endpoint, save_push_subscription.p256dh, save_push_subscription.auth_secret,
    (auth.jwt() ->> 'session_id')::uuid)
  on conflict (endpoint) do update set user_id = excluded.user_id, p256dh = excluded.p256dh,
    auth_secret = excluded.auth_secret, session_id = excluded.session_id, created_at = now();
  delete from public.push_subscriptions s where s.user_id = auth.uid() and s.id not in (
    select t.id from public.push_subscriptions t where t.user_id = auth.uid() order by t.created_at desc limit 10);
end $$;

-- Queues an event for every browser of that person, unless they turned its kind off. A waiting push with the same subject key is
-- updated instead; with `repeated`, no new one is added.
create function private.queue_push(
  person uuid, event_key text, event_params jsonb, event_link text, event_subject_key text default null, repeated boolean default false
) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due constant timestamptz := private.push_time(person, now());
begin
  if not exists (select from public.push_subscriptions s where s.user_id = person)
    or not private.wants_push(person, (select t.kind from private.notification_texts t where t.key = event_key))
  then
    return;
  end if;
  if event_subject_key is not null then
    update private.push_messages m set key = event_key, params = event_params, link = coalesce(event_link, '/dashboard')
    from public.push_subscriptions s
    where s.id = m.subscription_id and s.user_id = person and m.subject_key = event_subject_key and m.taken_until is null;
    if found or repeated then
      return;
    end if;
  end if;
  insert into private.push_messages (subscription_id, key, params, link, due_at, subject_key)
  select s.id, event_key, event_params, coalesce(event_link, '/dashboard'), due, event_subject_key
  from public.push_subscriptions s where s.user_id = person;
  perform private.enqueue_function('send-push', '{}', null, due);
end $$;

-- Deletes the subscriptions and quiet hours of a deleted account whose profile stays as an anchor.
create function private.erase_push(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.push_subscriptions where user_id = person;
  delete from public.quiet_hours where user_id = person;
end $$;

-- Takes up to max_messages due pushes (at most 100) and locks them for ten minutes:
-- [{id, endpoint, p256dh, auth_secret, key, kind, texts, params, link, language}]. The version before reads title and message.
create function public.begin_push(max_messages integer) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  taken jsonb;
begin
  -- After a day a push is outdated. A browser without a session belongs to nobody.
  delete from private.push_messages where due_at < now() - interval '1 day';
  delete from public.push_subscriptions s using private.push_messages m
  where m.subscription_id = s.id and m.due_at <= now()
    and s.session_id is not null and not exists (select from auth.sessions a where a.id = s.session_id);
  with due as (
    select id from private.push_messages where due_at <= now() and (taken_until is null or taken_until <= now())
    order by due_at limit least(greatest(max_messages, 0), 100) for update skip locked
  ), begun as (
    update private.push_messages m set attempts = m.attempts + 1, taken_until = now() + interval '10 minutes'
    from due where m.id = due.id returning m.*
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', b.id, 'endpoint', s.endpoint, 'p256dh', s.p256dh,
      'auth_secret', s.auth_secret, 'key', b.key, 'kind', t.kind, 'title', private.earlier_syntax(t.title),
      'message', private.earlier_syntax(t.message), 'texts', jsonb_build_object('title', t.title, 'message', t.message), 'params', b.params,
      'link', b.link, 'language', (select p.language from private.profiles p where p.id = s.user_id)) order by b.due_at), '[]') into taken
  from begun b join public.push_subscriptions s on s.id = b.subscription_id
  join private.notification_texts t on t.key = b.key;
  if taken <> '[]' then
    -- Whoever took them may die; one such job is enough, and a later one takes its place.
    perform private.enqueue_function('send-push', '{}', 'send-push-taken', now() + interval '10 minutes');
  end if;
  return taken;
end $$;

-- Deletes a push that the push service accepted. Safe to repeat.
create function public.finish_push(message_id uuid) returns void
language sql security definer set search_path = '' as $$
  delete from private.push_messages where id = message_id
$$;

-- Records that the push service did not accept a push. `reason`: 'gone', the subscription has ended; 'later', it can be tried
-- again; 'refused', it never will be accepted. After five attempts the push is dropped; the notification is still in the
-- bell.
create function public.fail_push(message_id uuid, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  message private.push_messages;
  again timestamptz;
begin
  perform private.require(reason in ('gone', 'later', 'refused'), 'push.failure_reason_invalid', 'reason');
  select * into message from private.push_messages m where m.id = message_id for update;
  if message.id is null then
    return;
  elsif reason = 'gone' then
    delete from public.push_subscriptions where id = message.subscription_id;
  elsif reason = 'later' and message.attempts < 5 then
    again := now() + interval '1 minute' * 2 ^ message.attempts;
    update private.push_messages set taken_until = null, due_at = again where id = message_id;
    perform private.enqueue_function('send-push', '{}', null, again);
  else
    delete from private.push_messages where id = message_id;
  end if;
end $$;

create trigger within_limit after insert or update on public.quiet_hours
for each row execute function private.limit_settings_changes();

-- After a browser is subscribed. Saving a known browser again is an update and does not count.
create function private.after_push_subscription_insert() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('browsers_subscribed');
  return null;
end $$;

create trigger after_push_subscription_insert after insert on public.push_subscriptions
for each row execute function private.after_push_subscription_insert();

-- Raises an error unless the endpoint is an https address with a public host name. Such a name can still resolve to a private
-- address; the edge function send-push therefore only calls hosts of known push services (isPushService).
create function private.check_push_endpoint(endpoint text) returns void
language plpgsql immutable set search_path = '' as $$
declare
  -- The whole authority, including user names and backslashes, which parsers treat differently.
  host text := lower(substring(endpoint from '^https://([^/?#]*)'));
begin
  perform private.require(endpoint like 'https://%', 'push.endpoint_not_https', 'endpoint');
  perform private.require(length(endpoint) <= 1000, 'push.endpoint_too_long', 'endpoint');
  perform private.require(endpoint ~ '^[!-~]+$', 'push.endpoint_not_ascii', 'endpoint');
  perform private.require(host !~ ':[0-9]*$' or host ~ ':443$', 'push.endpoint_port_invalid', 'endpoint');
  host := regexp_replace(host, ':443$', '');
  -- No IP address passes, in any spelling (127.1, 0x7f.1, 2130706433, [::1]): the last label must consist of letters.
  perform private.require(length(host) <= 253 and host ~ '^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{1,59})$'
    and host !~ '(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|private|arpa|test|example|invalid|onion|alt)$',
    'push.endpoint_host_invalid', 'endpoint');
end $$;

create policy "people read their quiet hours" on public.quiet_hours for select to authenticated
using (user_id = (select auth.uid()));

create policy "people set their quiet hours" on public.quiet_hours for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "people change their quiet hours" on public.quiet_hours for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "people end their quiet hours" on public.quiet_hours for delete to authenticated
using (user_id = (select auth.uid()));

create policy "deleted accounts cannot set quiet hours" on public.quiet_hours as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people see their own browsers" on public.push_subscriptions for select to authenticated
using (user_id = (select auth.uid()));

create policy "people unsubscribe their own browsers" on public.push_subscriptions for delete to authenticated
using (user_id = (select auth.uid()));

grant select, delete on public.push_subscriptions to authenticated;
grant select, delete, insert (user_id, starts, ends), update (starts, ends) on public.quiet_hours to authenticated;
grant execute on function
  public.save_push_subscription(text, text, text)
to authenticated;
