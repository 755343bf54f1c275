-- The English texts of notifications have the syntax of the other languages: {{name}}, {{amount, money}}.
set check_function_bodies = off;

create function private.earlier_syntax(template text) returns text
language sql immutable set search_path = '' as $$
  select regexp_replace(regexp_replace(template, '\{\{(\w+), (?:money|price)\}\}', '${\1}', 'g'), '\{\{(\w+)\}\}', '{\1}', 'g')
$$;

create or replace function private.erase_name(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  names constant text[] := (select array_remove(array[p.full_name, private.public_name(p.full_name), p.verified_name,
    private.public_name(p.verified_name), (select v.legal_name from public.verifications v where v.user_id = p.id)], null) from private.profiles p where p.id = person);
  nobody constant text := 'Deleted user';
  others constant uuid[] := array(
    select task_giver_id from public.bookings where task_doer_id = person
    union select task_doer_id from public.bookings where task_giver_id = person
    union select asked_tasker_id from public.tasks where task_giver_id = person
    union select task_giver_id from public.tasks where asked_tasker_id = person
    union select user_id from public.user_roles where role = 'admin');
  texts private.notification_texts;
  notice record;
  cleaned jsonb;
begin
  -- A message's words stand in the notification of it, too.
  delete from public.notifications n where n.key = 'message_received' and n.user_id = any (others) and n.params ->> 'booking' in (
    select b.id::text from public.bookings b where person in (b.task_giver_id, b.task_doer_id));
  for notice in select n.id, n.key, n.params from public.notifications n
    where n.user_id = any (others) and n.user_id <> person and exists (
      select from jsonb_each_text(n.params) p where p.value = any (names)
        or (p.key in ('person', 'name', 'before') and n.link = '/profile/' || person))
  loop
    select jsonb_object_agg(p.key, case when p.value #>> '{}' = any (names) or p.key in ('person', 'name', 'before', 'reason')
      then to_jsonb(nobody) else p.value end) into cleaned from jsonb_each(notice.params) p;
    select * into texts from private.notification_texts where key = notice.key;
    update public.notifications set params = cleaned, title = private.filled_text(texts.title, cleaned),
      message = private.filled_text(texts.message, cleaned) where id = notice.id;
  end loop;
  update private.email_events e set params = (select jsonb_object_agg(p.key,
      case when p.value #>> '{}' = any (names) then to_jsonb(nobody) else p.value end) from jsonb_each(e.params) p)
  where e.person_id = any (others) and exists (select from jsonb_each_text(e.params) p where p.value = any (names));
end $$;

create or replace function private.events_of_email(email uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_agg(jsonb_build_object('key', e.key, 'kind', t.kind, 'required', k.required, 'title', private.earlier_syntax(t.title),
      'message', private.earlier_syntax(t.message), 'subject', private.earlier_syntax(s.subject), 'button', t.button,
      'texts', jsonb_build_object('title', t.title, 'message', t.message, 'subject', s.subject, 'button', t.button),
      'params', e.params, 'link', e.link, 'amounts', e.amounts,
      'receipt', (select jsonb_build_object('kind', r.kind, 'number', r.number, 'link', '/receipt/' || r.id)
        from public.receipts r join public.payments p on p.id = r.payment_id
        where p.booking_id = e.booking_id and r.person_id = e.person_id and r.kind
          = case t.amounts when 'payout' then 'statement' when 'total' then 'receipt' when 'refund' then 'receipt' end::public.receipt_kind),
      'messages', case when e.key = 'message_received' then private.unread_messages(e.person_id, e.booking_id) end)
    order by t.kind <> 'payments', t.kind <> 'complaints', e.id)
  from private.email_events e join private.notification_texts t on t.key = e.key
  join private.notification_kinds k on k.kind = t.kind
  cross join lateral (
    select coalesce(t.subject, case when e.params ? 'task' then t.title || ': "{{task}}"' else t.title end) as subject) s
  where e.email_id = email
$$;

create or replace function private.fail(
  code text, field text default null, params jsonb default '{}', status text default 'P0001'
) returns void
language plpgsql stable set search_path = '' as $$
declare
  text_of_code text := private.filled_text(private.error_messages() ->> code, params);
  facts constant text := jsonb_build_object('code', code, 'params', params);
begin
  if text_of_code is null then
    raise exception using errcode = 'XX000', message = format('There is no error %s', code);
  end if;
  -- RAISE refuses null as a hint.
  if field is null then
    raise exception using errcode = status, message = text_of_code, detail = facts;
  end if;
  raise exception using errcode = status, message = text_of_code, detail = facts, hint = field;
end $$;

create function private.filled_text(template text, params jsonb) returns text
language sql immutable set search_path = '' as $$
  select string_agg(part[1] || case when part[3] is null then '' else '$' end || coalesce(params ->> part[2], ''), '' order by nth)
  from regexp_matches(template, '(.*?)(?:\{\{(\w+)(, (?:money|price))?\}\}|$)', 'g') with ordinality as parts (part, nth)
$$;

create or replace function private.notify_person(person uuid, event_key text, event_params jsonb, event_link text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  texts private.notification_texts;
  place text := event_link;
  event_subject_key text;
  unread public.notifications;
begin
  select * into strict texts from private.notification_texts where key = event_key;
  event_subject_key := private.event_subject_key(person, texts.topic, event_params, event_link);
  if event_subject_key is not null then
    select * into unread from public.notifications n where n.user_id = person and n.subject_key = event_subject_key and not n.read for update;
    event_params := private.merged_changes(unread.params, event_params);
  end if;
  if texts.part is not null then
    place := coalesce(private.booking_link(private.booking_of_event(person, event_params, event_link)) || '&part=' || texts.part, event_link);
  elsif event_link = '/bookings' and exists (select from private.profiles p where p.id = person and cardinality(p.roles) > 1) then
    place := coalesce(private.booking_link(private.booking_of_event(person, event_params, event_link)), event_link);
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

create or replace function private.refill_notification(notification uuid, changed jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  told public.notifications;
  texts private.notification_texts;
begin
  select * into told from public.notifications where id = notification;
  select * into texts from private.notification_texts where key = told.key;
  if texts.key is null then -- a text that a later version has no more
    delete from public.notifications where id = notification;
    return;
  end if;
  told.params := told.params || changed;
  update public.notifications set params = told.params, title = private.filled_text(texts.title, told.params),
    message = private.filled_text(texts.message, told.params) where id = notification;
end $$;

create or replace function public.begin_push(max_messages integer) returns jsonb
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

grant execute on function private.filled_text(text,jsonb) to anon;
grant execute on function private.filled_text(text,jsonb) to authenticated;
grant execute on function private.filled_text(text,jsonb) to service_role;

comment on column private.email_events.params is 'Values for the {{parameters}} of the texts; amounts are dollars';
comment on column private.notification_texts.title is 'With {{parameters}}, like message, subject and button';
comment on column private.push_messages.params is 'Values for the {{parameters}} of the texts; amounts are dollars';
comment on column public.notifications.params is 'Values for the {{parameters}} of the texts; amounts are dollars';

update private.notification_texts set
  title = regexp_replace(regexp_replace(title, '\$\{(\w+)\}', '{{\1, money}}', 'g'), '\{(\w+)\}', '{{\1}}', 'g'),
  message = regexp_replace(regexp_replace(message, '\$\{(\w+)\}', '{{\1, money}}', 'g'), '\{(\w+)\}', '{{\1}}', 'g'),
  subject = regexp_replace(regexp_replace(subject, '\$\{(\w+)\}', '{{\1, money}}', 'g'), '\{(\w+)\}', '{{\1}}', 'g');
