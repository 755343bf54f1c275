-- Web push: what the bell and e-mails tell is also sent to the browsers that a person has subscribed with, by the kinds
-- that they chose and not in their quiet hours. One row for each browser and event; the function send-push takes them with
-- begin_push and reports each with finish_push or fail_push. https://www.rfc-editor.org/rfc/rfc8030

alter table public.notification_preferences add column push boolean not null default true;
grant insert (push), update (push) on public.notification_preferences to authenticated;

create function private.wants_push(person uuid, wanted public.notification_kind) returns boolean
language sql stable security definer set search_path = '' as $$
  select (private.is_required(wanted) or not private.is_suspended(person)) and coalesce(
    (select push from public.notification_preferences where user_id = person and kind = wanted), true)
$$;

-- The caller's choices, one row per kind that concerns them: {kind, bell, email, push, required}. `required` is of the bell
-- and e-mail; push can always be turned off.
drop function public.notification_settings();
create function public.notification_settings()
returns table (kind public.notification_kind, bell boolean, email boolean, push boolean, required boolean)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null, 'Not authenticated');
  return query select k.kind, private.wants_bell(auth.uid(), k.kind), private.wants_email(auth.uid(), k.kind),
    private.wants_push(auth.uid(), k.kind), k.required
  from private.notification_kinds k where k.kind <> 'admin' or private.is_admin() order by k.kind;
end $$;
revoke execute on function public.notification_settings() from public, anon;
grant execute on function public.notification_settings() to authenticated;

-- Hours of the day, in Saskatchewan, in which nothing is pushed: it comes when they end. They may go over midnight.
create table public.quiet_hours (
  user_id uuid primary key default auth.uid() references private.profiles (id) on delete cascade,
  starts time not null,
  ends time not null,
  constraint quiet_hours_end check (starts <> ends)
);
alter table public.quiet_hours enable row level security;
revoke all on public.quiet_hours from anon, authenticated;
grant select, delete on public.quiet_hours to authenticated;
grant insert (user_id, starts, ends), update (starts, ends) on public.quiet_hours to authenticated;
create policy "people read their quiet hours" on public.quiet_hours for select to authenticated
using (user_id = (select auth.uid()));
create policy "people set their quiet hours" on public.quiet_hours for insert to authenticated
with check (user_id = (select auth.uid()));
create policy "people change their quiet hours" on public.quiet_hours for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy "people end their quiet hours" on public.quiet_hours for delete to authenticated
using (user_id = (select auth.uid()));
create policy "who has left has no hours" on public.quiet_hours as restrictive for insert to authenticated
with check ((select private.has_account()));

-- When a push that came about at `at` may be sent to that person.
create function private.push_time(person uuid, at timestamptz) returns timestamptz
language plpgsql stable security definer set search_path = '' as $$
declare
  quiet public.quiet_hours;
  here constant timestamp := at at time zone 'America/Regina';
  during boolean;
begin
  select * into quiet from public.quiet_hours q where q.user_id = person;
  during := case when quiet.starts < quiet.ends then here::time >= quiet.starts and here::time < quiet.ends
    else here::time >= quiet.starts or here::time < quiet.ends end;
  if during is not true then
    return at;
  end if;
  return (here::date + quiet.ends + case when here::time < quiet.ends then interval '0' else interval '1 day' end)
    at time zone 'America/Regina';
end $$;

-- A browser that is pushed to, as its PushSubscription says, until the session ends in which it subscribed.
create table public.push_subscriptions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references private.profiles (id) on delete cascade,
  endpoint text not null unique,
  p256dh text not null,
  auth_secret text not null,
  session_id uuid,
  created_at timestamptz not null default now()
);
create index push_subscriptions_of_person on public.push_subscriptions (user_id, created_at);
alter table public.push_subscriptions enable row level security;
revoke all on public.push_subscriptions from anon, authenticated;
grant select, delete on public.push_subscriptions to authenticated;
create policy "people see their own browsers" on public.push_subscriptions for select to authenticated
using (user_id = (select auth.uid()));
create policy "people end what their browsers receive" on public.push_subscriptions for delete to authenticated
using (user_id = (select auth.uid()));

-- Subscribes the caller's browser. Its endpoint is a secret that only the browser knows: who shows it takes it over from
-- whoever used that browser before. Harmless to repeat; ten browsers a person, the oldest go.
create function public.save_push_subscription(endpoint text, p256dh text, auth_secret text) returns void
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
begin
  perform private.allow(auth.uid() is not null and private.has_account(), 'Not authenticated');
  perform private.require(save_push_subscription.endpoint ~ '^https?://[^/\s]+/\S*$' and length(save_push_subscription.endpoint) <= 1000,
    'endpoint must be the address of a push service', 'endpoint');
  perform private.require(save_push_subscription.p256dh ~ '^[A-Za-z0-9_-]{86,88}$',
    'p256dh must be a public key of P-256 in base64url', 'p256dh');
  perform private.require(save_push_subscription.auth_secret ~ '^[A-Za-z0-9_-]{22,24}$',
    'auth_secret must be 16 bytes in base64url', 'auth_secret');
  insert into public.push_subscriptions as s (user_id, endpoint, p256dh, auth_secret, session_id)
  values (auth.uid(), save_push_subscription.endpoint, save_push_subscription.p256dh, save_push_subscription.auth_secret,
    (auth.jwt() ->> 'session_id')::uuid)
  on conflict (endpoint) do update set user_id = excluded.user_id, p256dh = excluded.p256dh,
    auth_secret = excluded.auth_secret, session_id = excluded.session_id, created_at = now();
  delete from public.push_subscriptions s where s.user_id = auth.uid() and s.id not in (
    select t.id from public.push_subscriptions t where t.user_id = auth.uid() order by t.created_at desc limit 10);
end $$;
revoke execute on function public.save_push_subscription(text, text, text) from public, anon;
grant execute on function public.save_push_subscription(text, text, text) to authenticated;

create table private.push_messages (
  id uuid primary key default gen_random_uuid(),
  subscription_id uuid not null references public.push_subscriptions (id) on delete cascade,
  key text not null references private.notification_texts (key) on delete cascade,
  params jsonb not null,
  link text not null,
  attempts integer not null default 0,
  due_at timestamptz not null,
  -- Until then whoever took it is sending it.
  taken_until timestamptz
);
create index push_messages_of_subscription on private.push_messages (subscription_id);
create index push_messages_of_key on private.push_messages (key);
create index push_messages_due on private.push_messages (due_at);
alter table private.push_messages enable row level security;

-- Queues an event for every browser of that person, unless they turned its kind off.
create function private.queue_push(person uuid, event_key text, event_params jsonb, event_link text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due constant timestamptz := private.push_time(person, now());
begin
  if not exists (select from public.push_subscriptions s where s.user_id = person)
    or not private.wants_push(person, (select t.kind from private.notification_texts t where t.key = event_key))
  then
    return;
  end if;
  insert into private.push_messages (subscription_id, key, params, link, due_at)
  select s.id, event_key, event_params, coalesce(event_link, '/dashboard'), due
  from public.push_subscriptions s where s.user_id = person;
  perform private.enqueue_function('send-push', '{}', null, due);
end $$;

-- Tells one person of one event, at the bell, by push and by e-mail, as they chose. Params fill the English text and travel
-- along for the translated one.
create or replace function private.notify_person(person uuid, event_key text, event_params jsonb, event_link text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  texts private.notification_texts;
  name text;
  value text;
begin
  select * into strict texts from private.notification_texts where key = event_key;
  for name, value in select * from jsonb_each_text(event_params) loop
    texts.title := replace(texts.title, '{' || name || '}', coalesce(value, ''));
    texts.message := replace(texts.message, '{' || name || '}', coalesce(value, ''));
  end loop;
  insert into public.notifications (user_id, title, message, link, key, params)
  select id, texts.title, texts.message, event_link, event_key, event_params
  from private.profiles where id = person and deleted_at is null and private.wants_bell(person, texts.kind);
  perform private.queue_push(person, event_key, event_params, event_link);
  if texts.by_email then
    perform private.queue_email(person, event_key, event_params, event_link);
  end if;
end $$;

-- Who leaves and keeps an empty anchor is pushed nothing.
create function private.erase_push() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.push_subscriptions where user_id = new.id;
  delete from public.quiet_hours where user_id = new.id;
  return null;
end $$;
create trigger erase_push after update of deleted_at on private.profiles
for each row when (new.deleted_at is not null) execute function private.erase_push();

-- Takes at most so many that are to be sent now, and locks them for ten minutes:
-- [{id, endpoint, p256dh, auth_secret, key, kind, title, message, params, link, language}].
create function public.begin_push(max_messages integer) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  taken jsonb;
begin
  -- A push after a day is news no more; a browser whose session has ended is nobody's.
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
      'auth_secret', s.auth_secret, 'key', b.key, 'kind', t.kind, 'title', t.title, 'message', t.message, 'params', b.params,
      'link', b.link, 'language', (select p.language from private.profiles p where p.id = s.user_id)) order by b.due_at), '[]') into taken
  from begun b join public.push_subscriptions s on s.id = b.subscription_id
  join private.notification_texts t on t.key = b.key;
  if taken <> '[]' then
    -- Whoever took them may die; one such job is enough, and a later one takes its place.
    perform private.enqueue_function('send-push', '{}', 'send-push-taken', now() + interval '10 minutes');
  end if;
  return taken;
end $$;

-- The push service has it. Harmless to repeat.
create function public.finish_push(message_id uuid) returns void
language sql security definer set search_path = '' as $$
  delete from private.push_messages where id = message_id
$$;

-- It was not taken. `reason`: 'gone', the browser has ended the subscription; 'later', it may be taken another time;
-- 'refused', it never will be. After five tries it is given up: the bell has it.
create function public.fail_push(message_id uuid, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  message private.push_messages;
  again timestamptz;
begin
  perform private.require(reason in ('gone', 'later', 'refused'), 'reason must be gone, later or refused', 'reason');
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
revoke execute on function public.begin_push(integer), public.finish_push(uuid), public.fail_push(uuid, text)
from public, anon, authenticated;
grant execute on function public.begin_push(integer), public.finish_push(uuid), public.fail_push(uuid, text) to service_role;
