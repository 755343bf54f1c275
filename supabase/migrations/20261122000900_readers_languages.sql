-- What notifications and e-mails need to speak their reader's language: e-mails are handed out with it, and parameters
-- that were English words have the facts beside them, from which the texts of other languages are made.

-- Takes at most so many e-mails that are to be sent now: [{id, to, name, language, events, unsubscribe,
-- unsubscribe_kinds}]: `unsubscribe` is the token for all that can be turned off in it (null: nothing can),
-- unsubscribe_kinds one for each kind.
create or replace function public.begin_emails(max_emails integer) returns jsonb
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

-- Both parties of work that is paid and begins within a day, once; not of work that was paid for less than a day ahead.
create or replace function private.remind_of_work() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
  news jsonb;
begin
  select b.id, b.task_giver_id, b.task_doer_id, t.title, t.scheduled_date into due
  from public.tasks t join public.bookings b on b.task_id = t.id join public.payments p on p.booking_id = b.id
  where t.status = 'assigned' and t.scheduled_date > now() and t.scheduled_date <= now() + interval '24 hours'
    and b.status = 'in_progress' and p.escrow_status = 'held' and p.held_at <= t.scheduled_date - interval '24 hours'
    and not exists (select from private.work_reminders r where r.booking_id = b.id and r.scheduled_date = t.scheduled_date)
  order by b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  insert into private.work_reminders (booking_id, scheduled_date) values (due.id, due.scheduled_date)
  on conflict (booking_id) do update set scheduled_date = excluded.scheduled_date, reminded_at = now();
  news := jsonb_build_object('task', due.title, 'at', due.scheduled_date,
    'when', to_char(due.scheduled_date at time zone 'America/Regina', 'FMDay, FMMonth FMDD, FMHH12:MI AM'));
  perform private.notify_person(due.task_giver_id, 'work_reminder',
    news || jsonb_build_object('person', private.person_name(due.task_doer_id)), private.booking_link(due.id));
  perform private.notify_person(due.task_doer_id, 'work_reminder',
    news || jsonb_build_object('person', private.person_name(due.task_giver_id)), private.booking_link(due.id));
  return 1;
end $$;

-- The same differences as changes_of_task tells, as facts: [{what, amount?, at?, place?}], amounts in dollars.
create function private.facts_of_changes(before public.tasks, task public.tasks, agreed numeric) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_strip_nulls(fact)), '[]') from unnest(array[
    case when task.pay_amount <> before.pay_amount then jsonb_build_object('what', 'price', 'amount', task.pay_amount) end,
    case when task.pay_amount <> before.pay_amount and agreed <> task.pay_amount
      then jsonb_build_object('what', 'stays', 'amount', agreed) end,
    case when task.scheduled_date is distinct from before.scheduled_date then jsonb_build_object(
      'what', case when task.scheduled_date is null then 'anytime' else 'time' end, 'at', task.scheduled_date) end,
    case when task.location <> before.location then jsonb_build_object('what', 'place', 'place', task.location) end,
    case when task.duration_minutes is distinct from before.duration_minutes then jsonb_build_object('what', 'duration') end,
    case when (task.title, task.description, task.category) <> (before.title, before.description, before.category)
      then jsonb_build_object('what', 'work') end,
    case when (task.tools_provided, coalesce(task.tools_description, '')) <> (before.tools_provided, coalesce(before.tools_description, ''))
      then jsonb_build_object('what', 'tools') end]) fact
  where fact is not null
$$;

create or replace function private.follow_changed_task() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('person', private.person_name(new.task_giver_id), 'task', new.title);
  applicant record;
begin
  if new.status not in ('open', 'asked') or new.status <> old.status
    or private.changes_of_task(old, new, new.pay_amount) is null
  then
    return null;
  end if;
  for applicant in select task_doer_id, agreed_amount from public.bookings
    where task_id = new.id and status = 'pending' order by id
  loop
    perform private.notify_person(applicant.task_doer_id, 'task_changed', news || jsonb_build_object(
      'changes', private.changes_of_task(old, new, applicant.agreed_amount),
      'changed', private.facts_of_changes(old, new, applicant.agreed_amount)), '/task/' || new.id);
  end loop;
  if new.status = 'asked' and not exists (select from public.bookings
    where task_id = new.id and task_doer_id = new.asked_tasker_id and status = 'pending')
  then
    perform private.notify_person(new.asked_tasker_id, 'asked_task_changed', news || jsonb_build_object(
      'changes', private.changes_of_task(old, new, new.pay_amount),
      'changed', private.facts_of_changes(old, new, new.pay_amount)), '/task/' || new.id);
  end if;
  perform private.schedule_tick(new.asked_until);
  return null;
end $$;
