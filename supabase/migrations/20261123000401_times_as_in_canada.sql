-- English notifications and e-mails write a time of day as the screens do, '9:00 a.m.'.

-- 'Tuesday, July 21, 2:30 p.m.' on Saskatchewan's clock; null when there is no time.
create function private.day_and_time(at timestamptz) returns text language sql stable set search_path = '' as $$
  select to_char(at at time zone 'America/Regina', 'FMDay, FMMonth FMDD, FMHH12:MI a.m.')
$$;

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
    'when', private.day_and_time(due.scheduled_date));
  perform private.notify_person(due.task_giver_id, 'work_reminder',
    news || jsonb_build_object('person', private.person_name(due.task_doer_id)), private.booking_link(due.id));
  perform private.notify_person(due.task_doer_id, 'work_reminder',
    news || jsonb_build_object('person', private.person_name(due.task_giver_id)), private.booking_link(due.id));
  return 1;
end $$;

-- What is different for a tasker, in words; null when nothing is that matters to them. `agreed` is what they applied for.
create or replace function private.changes_of_task(before public.tasks, task public.tasks, agreed numeric) returns text
language sql stable set search_path = '' as $$
  select nullif(concat_ws('; ',
    case when task.pay_amount <> before.pay_amount then format('the price is now $%s', to_char(task.pay_amount, 'FM999999990.00'))
      || case when agreed <> task.pay_amount
        then format(', your application stays at $%s', to_char(agreed, 'FM999999990.00')) else '' end end,
    case when task.scheduled_date is distinct from before.scheduled_date then coalesce('the time is now '
      || private.day_and_time(task.scheduled_date)
      || ', Saskatchewan time', 'any time suits now') end,
    case when task.location <> before.location then 'the place is now ' || task.location end,
    case when task.duration_minutes is distinct from before.duration_minutes then 'how long it takes' end,
    case when (task.title, task.description, task.category) <> (before.title, before.description, before.category)
      then 'what is to be done' end,
    case when (task.tools_provided, coalesce(task.tools_description, '')) <> (before.tools_provided, coalesce(before.tools_description, ''))
      then 'the tools' end), '')
$$;
