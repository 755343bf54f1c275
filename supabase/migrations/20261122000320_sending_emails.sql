-- Sending e-mails: what the function send-emails asks for and reports. Taking an e-mail locks it for ten minutes, so that
-- no two senders send it; the same one is taken again when nobody reported on it. Tries that fail are repeated with
-- growing pauses, and an e-mail that cannot be delivered is given up, and admins are notified.

insert into private.notification_texts (key, kind, title, message, subject, by_email) values
  ('email_undeliverable', 'admin', 'An e-mail could not be delivered',
    'An e-mail to {person} was given up: {reason}', null, false);

-- Makes e-mails of the events that are due, of at most so many people: all that waits for a person goes into one.
create function private.gather_emails(max_people integer) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person uuid;
  events bigint[];
  email uuid;
begin
  -- An e-mail after a week is news no more; it could not be sent because there was no mail server.
  delete from private.email_events where email_id is null and due_at < now() - interval '7 days';
  delete from private.emails where status <> 'waiting' and created_at < now() - interval '30 days';
  for person in select e.person_id from private.email_events e where e.email_id is null and e.due_at <= now()
    group by e.person_id order by min(e.due_at) limit max_people
  loop
    -- Who gathers the same person's events at this moment has them locked.
    select array_agg(w.id) into events from (
      select e.id from private.email_events e where e.person_id = person and e.email_id is null
        and (e.key <> 'message_received' or e.due_at <= now()) order by e.id for update skip locked) w;
    delete from private.email_events e using private.notification_texts t
    where e.id = any (events) and t.key = e.key and (private.email_address(person) is null
      or not private.wants_email(person, t.kind)
      or (e.key = 'message_received' and private.unread_messages(person, e.booking_id) is null));
    if exists (select from private.email_events e where e.id = any (events)) then
      insert into private.emails (person_id) values (person) returning id into email;
      update private.email_events set email_id = email where id = any (events);
    end if;
  end loop;
end $$;

-- What an e-mail tells, the weightiest first: money, then complaints, then the rest as it came about.
create function private.events_of_email(email uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_agg(jsonb_build_object('key', e.key, 'kind', t.kind, 'required', k.required, 'title', t.title,
      'message', t.message, 'subject', coalesce(t.subject, case when e.params ? 'task' then t.title || ': "{task}"' else t.title end),
      'button', t.button, 'params', e.params, 'link', e.link, 'amounts', e.amounts,
      'reason', case when e.key = 'payout_failed' then (select f.message from public.payment_failures f
        join public.payments p on p.id = f.payment_id where p.booking_id = e.booking_id and f.step = 'payout') end,
      'messages', case when e.key = 'message_received' then private.unread_messages(e.person_id, e.booking_id) end)
    order by t.kind <> 'payments', t.kind <> 'complaints', e.id)
  from private.email_events e join private.notification_texts t on t.key = e.key
  join private.notification_kinds k on k.kind = t.kind where e.email_id = email
$$;

-- Takes at most so many e-mails that are to be sent now: [{id, to, name, events}].
create function public.begin_emails(max_emails integer) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  taken jsonb;
begin
  perform private.gather_emails(least(greatest(max_emails, 0), 100));
  -- Between two tries the account was closed or the conversation read.
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
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', b.id, 'to', private.email_address(b.person_id),
    'name', private.person_name(b.person_id), 'events', private.events_of_email(b.id))), '[]') into taken from begun b;
  if taken <> '[]' then
    -- Whoever took them may die; one such job is enough, and a later one takes its place.
    perform private.enqueue_function('send-emails', '{}', 'send-emails-taken', now() + interval '10 minutes');
  end if;
  return taken;
end $$;

-- The mail server has it. Harmless to repeat.
create function public.finish_email(email_id uuid) returns void
language sql security definer set search_path = '' as $$
  update private.emails set status = 'sent', sent_at = now(), taken_until = null, last_error = null
  where id = finish_email.email_id and status = 'waiting'
$$;

-- It was not taken. `reason`: 'server', the mail server cannot be reached, which is no fault of the e-mail; 'later', it
-- may be taken another time; 'refused', it never will be. After ten tries or a refusal it is given up.
create function public.fail_email(email_id uuid, reason text, message text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  email private.emails;
  again timestamptz;
  admin uuid;
begin
  perform private.require(reason in ('server', 'later', 'refused'), 'reason must be server, later or refused', 'reason');
  select * into email from private.emails m where m.id = fail_email.email_id and m.status = 'waiting' for update;
  if email.id is null or email.taken_until is null then
    return;
  elsif reason = 'server' then
    update private.emails set attempts = attempts - 1, taken_until = null, last_error = left(message, 500) where id = email.id;
  elsif reason = 'later' and email.attempts < 10 then
    again := now() + least(interval '1 minute' * 2 ^ (email.attempts - 1), interval '4 hours');
    update private.emails set taken_until = null, next_try_at = again, last_error = left(message, 500) where id = email.id;
    perform private.schedule_emails(again);
  else
    update private.emails set status = 'dead', taken_until = null, last_error = left(message, 500) where id = email.id;
    -- At the bell alone, and once until it is read: an e-mail about e-mails that do not arrive might not arrive.
    for admin in select user_id from public.user_roles where role = 'admin' order by user_id loop
      if not exists (select from public.notifications n where n.user_id = admin and not n.read
        and n.key = 'email_undeliverable' and n.link = '/profile/' || email.person_id)
      then
        perform private.notify_person(admin, 'email_undeliverable', jsonb_build_object(
          'person', private.person_name(email.person_id), 'reason', left(message, 200)), '/profile/' || email.person_id);
      end if;
    end loop;
  end if;
end $$;

-- More is waiting than one call may take.
create function public.schedule_emails() returns void
language sql security definer set search_path = '' as $$
  select private.schedule_emails(now())
$$;
grant execute on function public.begin_emails(integer), public.finish_email(uuid), public.fail_email(uuid, text, text),
  public.schedule_emails() to service_role;
