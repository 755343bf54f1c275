-- Alerts are checked again when they are mailed, and lead to the side of taskers.
set check_function_bodies = off;

create or replace function private.events_of_email(email uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_agg(jsonb_build_object('key', e.key, 'kind', t.kind, 'required', k.required, 'title', private.earlier_syntax(t.title),
      'message', private.earlier_syntax(t.message), 'subject', private.earlier_syntax(s.subject), 'button', t.button,
      'texts', jsonb_build_object('title', t.title, 'message', t.message, 'subject', s.subject, 'button', t.button),
      'params', case when e.key = 'searches_matched'
        then e.params - 'ids' || coalesce(private.alerted_tasks(e.person_id, e.params -> 'ids'), '{}') else e.params end, 'link', e.link, 'amounts', e.amounts,
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

create or replace function private.is_outdated_event(event private.email_events) returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(case
    when event.key in ('application_received', 'application_received_unverified') then b.status <> 'pending'
    when event.key = 'pay_reminder' then b.status <> 'accepted'
    when event.key = 'task_started' then b.status <> 'in_progress'
    when event.key = 'work_reminder' then b.status not in ('accepted', 'in_progress')
    when event.key in ('task_marked_complete', 'task_marked_complete_early', 'confirm_reminder') then p.escrow_status <> 'held'
    when event.key = 'payout_waiting' then p.payout_status <> 'waiting'
    when event.key = 'payout_failed' then p.payout_status = 'sent'
    when event.key = 'complaint_opened' then c.answered_at is not null or c.decided_at is not null
    when event.key = 'complaint_to_decide' then exists (select from public.complaints decided
      where decided.id = substring(event.link from '/complaints/([0-9a-f-]{36})')::uuid and decided.decided_at is not null)
    when event.key = 'review_asked' then exists (
      select from public.reviews r where r.booking_id = b.id and r.reviewer_id = event.person_id)
    when event.key = 'task_asked' then not exists (select from public.tasks t
      where t.id = substring(event.link from '/task/([0-9a-f-]{36})')::uuid and t.status = 'asked')
    when event.key = 'verification_submitted' then not exists (
      select from public.verifications v where v.user_id = event.person_id and v.verification_status = 'pending')
    when event.key = 'verification_waiting' then not exists (select from public.verifications v
      where v.verification_status = 'pending'
        and event.params ->> 'person' in (private.full_name(v.user_id), private.person_name(v.user_id)))
    when event.key = 'searches_matched' then event.params ? 'ids' and private.alerted_tasks(event.person_id, event.params -> 'ids') is null
    when event.key = 'message_received' then private.unread_messages(event.person_id, event.booking_id) is null
  end, false)
  from (select) as one
    left join public.bookings b on b.id = event.booking_id
    left join public.payments p on p.booking_id = b.id
    left join public.complaints c on c.booking_id = b.id
$$;

create or replace function public.begin_emails(max_emails integer) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  taken jsonb;
begin
  perform private.gather_emails(least(greatest(max_emails, 0), 100));
  -- Between two tries the account was closed, the conversation read or the tasks of an alert hidden.
  delete from private.email_events e using private.emails m
  where m.id = e.email_id and m.status = 'waiting' and m.next_try_at <= now() and e.key = 'searches_matched'
    and private.is_outdated_event(e);
  delete from private.emails m where m.status = 'waiting' and m.next_try_at <= now()
    and (private.email_address(m.person_id) is null
      or not exists (select from private.email_events e where e.email_id = m.id));
  with due as (
    select id from private.emails where status = 'waiting' and next_try_at <= now()
      and (taken_until is null or taken_until <= now())
    order by next_try_at limit least(greatest(max_emails, 0), 100) for update skip locked
  ), begun as (
    update private.emails m set attempts = m.attempts + 1, taken_until = now() + interval '10 minutes'
    from due where m.id = due.id returning m.id, m.person_id
  ), kinds as (
    select b.id, b.person_id, array_agg(distinct t.kind) as kinds from begun b
    join private.email_events e on e.email_id = b.id join private.notification_texts t on t.key = e.key
    group by b.id, b.person_id
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', b.id, 'to', private.email_address(b.person_id),
    'name', private.person_name(b.person_id), 'language', (select p.language from private.profiles p where p.id = b.person_id),
    'events', private.events_of_email(b.id),
    'unsubscribe', private.unsubscribe_token(b.person_id, b.kinds),
    'unsubscribe_kinds', (select coalesce(jsonb_agg(jsonb_build_object('kind', k, 'token', private.unsubscribe_token(b.person_id, array[k]))
      order by k), '[]') from unnest(b.kinds) k where not private.is_required(k)))), '[]') into taken from kinds b;
  if taken <> '[]' then
    -- Whoever took them may die; one such job is enough, and a later one takes its place.
    perform private.enqueue_function('send-emails', '{}', 'send-emails-taken', now() + interval '10 minutes');
  end if;
  return taken;
end $$;

create function private.alerted_tasks(person uuid, ids jsonb) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('tasks', string_agg('"' || title || '"', ', ' order by nth) filter (where nth <= 5), 'number', count(*))
  from (select t.title, row_number() over (order by listed.nth) as nth
    from jsonb_array_elements_text(ids) with ordinality listed (id, nth) join public.tasks t on t.id = listed.id::uuid
    where private.is_worth_an_alert(person, t)) wanted
  having count(*) > 0
$$;

create or replace function private.send_alert_email() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  hour constant timestamptz := private.next_alert_email(now() - interval '1 day');
  person uuid;
  ids jsonb;
  news jsonb;
begin
  select a.person_id into person from private.task_alerts a
  where a.sent_at is null and a.pace = 'daily' and a.matched_at < hour order by a.matched_at limit 1 for no key update skip locked;
  if not found then
    return 0;
  end if;
  with due as (
    update private.task_alerts a set sent_at = now()
    where a.person_id = person and a.sent_at is null and a.pace = 'daily' and a.matched_at < hour
    returning a.task_id, a.matched_at
  )
  select jsonb_agg(task_id order by matched_at, task_id) into ids from due;
  news := private.alerted_tasks(person, ids);
  if news is not null then
    perform private.queue_email(person, 'searches_matched', news || jsonb_build_object('ids', ids), '/saved-searches');
  end if;
  return 1;
end $$;

create or replace function private.send_task_alert() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
begin
  select a.person_id, a.task_id, t.title, t.location, t.pay_amount, private.is_worth_an_alert(a.person_id, t) as wanted,
    (select count(*) from private.task_alerts s where s.person_id = a.person_id and s.sent_at > now() - interval '1 day')
      < private.rule('limits.alertsPerDay') as within_limit into due
  from private.task_alerts a join public.tasks t on t.id = a.task_id
  where a.sent_at is null and a.pace = 'at_once'
  order by a.matched_at limit 1 for no key update of a skip locked;
  if not found then
    return 0;
  end if;
  if not due.wanted then
    delete from private.task_alerts where person_id = due.person_id and task_id = due.task_id;
  elsif not due.within_limit then
    update private.task_alerts set pace = 'daily' where person_id = due.person_id and task_id = due.task_id;
    perform private.schedule_tick(private.next_alert_email(now()));
  else
    update private.task_alerts set sent_at = now() where person_id = due.person_id and task_id = due.task_id;
    perform private.notify_person(due.person_id, 'search_matched', jsonb_build_object('task', due.title, 'place', due.location,
      'amount', due.pay_amount), '/task/' || due.task_id || '?side=task_doer');
  end if;
  return 1;
end $$;

create or replace function private.is_worth_an_alert(person uuid, task public.tasks) returns boolean
language sql stable security definer set search_path = '' as $$
  select task.status = 'open' and task.hidden_for is null
    and not exists (select from private.seen_tasks s where s.person_id = person and s.task_id = task.id)
    and not exists (select from public.bookings b where b.task_id = task.id and b.task_doer_id = person)
    and exists (select from private.searches_finding(task, person))
$$;

create or replace function private.is_only_offered(person uuid, link text, params jsonb, task public.tasks) returns boolean
language sql stable security definer set search_path = '' as $$
  select person <> task.task_giver_id
    and (split_part(link, '?', 1) = '/task/' || task.id
      or (params ->> 'task' = task.title
        and params ->> 'person' in (private.person_name(task.task_giver_id), private.full_name(task.task_giver_id))))
    and not exists (select from public.user_roles r where r.user_id = person and r.role = 'admin')
    and not exists (select from public.bookings b where b.task_id = task.id and b.task_doer_id = person)
$$;

create or replace function private.redact_hidden_task(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.refill_notification(n.id, '{"task": {"code": "removed_task"}}') from public.notifications n
  where n.params ? 'task' and (split_part(n.link, '?', 1) = '/task/' || task.id or n.params ->> 'task' = task.title)
    and private.is_only_offered(n.user_id, n.link, n.params, task);
  delete from private.email_events e
  where e.params ? 'task' and private.is_only_offered(e.person_id, e.link, e.params, task);
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and m.params ? 'task' and private.is_only_offered(s.user_id, m.link, m.params, task);
end $$;
