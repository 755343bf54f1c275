-- Changing a task while it is open, also when taskers have applied: each of them hears what changed, and that their
-- application stays at the price that they saw. Once a tasker is accepted it stays as it was agreed.

create or replace function private.check_task_is_free() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client()
    and to_jsonb(new) - '{status,updated_at}'::text[] <> to_jsonb(old) - '{status,updated_at}'::text[]
    and (old.status in ('open', 'asked') and new.status = old.status) is not true
  then
    raise exception using hint = 'status', message = case old.status
      when 'assigned' then 'This task is agreed with its tasker and stays as it is'
      when 'completed' then 'This task is done and stays as it is'
      when 'cancelled' then 'This task is closed. You can post it again.'
      else 'A task is changed or closed, not both at once' end;
  end if;
  return new;
end $$;

insert into private.notification_texts (key, kind, subject, button, title, message) values
  ('task_changed', 'applications', '"{task}" was changed', 'See the task', 'A task was changed',
    '{person} changed "{task}": {changes}. If that does not suit you, you can withdraw your application.'),
  ('asked_task_changed', 'applications', '"{task}" was changed', 'See the task', 'A task was changed',
    '{person} changed "{task}", which you are asked to do: {changes}.');

-- What is different for a tasker, in words; null when nothing is that matters to them. `agreed` is what they applied for.
create function private.changes_of_task(before public.tasks, task public.tasks, agreed numeric) returns text
language sql stable set search_path = '' as $$
  select nullif(concat_ws('; ',
    case when task.pay_amount <> before.pay_amount then format('the price is now $%s', to_char(task.pay_amount, 'FM999999990.00'))
      || case when agreed <> task.pay_amount
        then format(', your application stays at $%s', to_char(agreed, 'FM999999990.00')) else '' end end,
    case when task.scheduled_date is distinct from before.scheduled_date then coalesce('the time is now '
      || to_char(task.scheduled_date at time zone 'America/Regina', 'FMDay, FMMonth FMDD, FMHH12:MI AM')
      || ', Saskatchewan time', 'any time suits now') end,
    case when task.location <> before.location then 'the place is now ' || task.location end,
    case when task.duration_minutes is distinct from before.duration_minutes then 'how long it takes' end,
    case when (task.title, task.description, task.category) <> (before.title, before.description, before.category)
      then 'what is to be done' end,
    case when (task.tools_provided, coalesce(task.tools_description, '')) <> (before.tools_provided, coalesce(before.tools_description, ''))
      then 'the tools' end), '')
$$;

create function private.follow_changed_task() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
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
    perform private.notify_person(applicant.task_doer_id, 'task_changed', jsonb_build_object(
      'person', private.person_name(new.task_giver_id), 'task', new.title,
      'changes', private.changes_of_task(old, new, applicant.agreed_amount)), '/task/' || new.id);
  end loop;
  if new.status = 'asked' and not exists (select from public.bookings
    where task_id = new.id and task_doer_id = new.asked_tasker_id and status = 'pending')
  then
    perform private.notify_person(new.asked_tasker_id, 'asked_task_changed', jsonb_build_object(
      'person', private.person_name(new.task_giver_id), 'task', new.title,
      'changes', private.changes_of_task(old, new, new.pay_amount)), '/task/' || new.id);
  end if;
  perform private.schedule_tick(new.asked_until);
  return null;
end $$;
create trigger follow_changed_task after update on public.tasks
for each row execute function private.follow_changed_task();

-- A task that is to take place earlier waits for who is asked no longer than half of the time that is left.
create or replace function private.keep_asked_tasker() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    if new.asked_tasker_id is not null then
      new.status := 'asked';
      new.asked_until := least(now() + interval '24 hours', now() + (new.scheduled_date - now()) / 2);
    end if;
  elsif new.status <> 'asked' then
    new.asked_tasker_id := null;
    new.asked_until := null;
  elsif new.scheduled_date is distinct from old.scheduled_date then
    new.asked_until := least(new.asked_until, now() + (new.scheduled_date - now()) / 2);
  end if;
  return new;
end $$;

-- An address can be taken back while nobody has been promised it.
grant delete on public.task_addresses to authenticated;
create policy "givers remove the address of their open tasks" on public.task_addresses for delete to authenticated
using (private.is_giver_of(task_id)
  and exists (select from public.tasks t where t.id = task_id and t.status in ('open', 'asked')));
