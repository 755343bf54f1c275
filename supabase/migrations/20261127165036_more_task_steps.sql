-- The steps of the triggers of tasks, which the next migration merges.
set check_function_bodies = off;

create function private.forget_hidden_task(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.refill_notification(n.id, '{"task": "Removed task"}') from public.notifications n
  where n.params ? 'task' and (n.link = '/task/' || task.id or n.params ->> 'task' = task.title)
    and private.was_offered(n.user_id, n.link, n.params, task);
  delete from private.email_events e
  where e.params ? 'task' and private.was_offered(e.person_id, e.link, e.params, task);
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and m.params ? 'task' and private.was_offered(s.user_id, m.link, m.params, task);
end $$;

create function private.hold_task(task public.tasks) returns public.tasks
language plpgsql set search_path = '' as $$
begin
  if task.status in ('open', 'asked') and task.hidden_for is null and private.tasks_are_on_hold(task.task_giver_id) then
    task.hidden_for := 'suspension';
  end if;
  return task;
end $$;

create function private.is_edited(task public.tasks, before public.tasks) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  before.status := task.status;
  before.asked_tasker_id := task.asked_tasker_id;
  before.asked_until := task.asked_until;
  before.hidden_for := task.hidden_for;
  before.updated_at := task.updated_at;
  return task is distinct from before;
end $$;

create function private.keep_asked_tasker(task public.tasks, before public.tasks) returns public.tasks
language plpgsql set search_path = '' as $$
begin
  if before.id is null then
    if task.asked_tasker_id is not null then
      task.status := 'asked';
      task.asked_until := least(now() + interval '24 hours', now() + (task.scheduled_date - now()) / 2);
    end if;
  elsif task.status <> 'asked' then
    task.asked_tasker_id := null;
    task.asked_until := null;
  elsif task.scheduled_date is distinct from before.scheduled_date then
    task.asked_until := least(task.asked_until, now() + (task.scheduled_date - now()) / 2);
  end if;
  return task;
end $$;

create function private.limit_task_changes(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('tasks_changed');
  perform private.count_activity('same_task_changed', task);
end $$;

create function private.notify_asked_tasker(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(task.asked_tasker_id, 'task_asked', jsonb_build_object(
    'person', private.person_name(task.task_giver_id), 'task', task.title), '/task/' || task.id);
  perform private.schedule_tick(task.asked_until);
end $$;

create function private.notify_task_changes(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('person', private.person_name(task.task_giver_id), 'task', task.title);
  applicant record;
  facts jsonb;
begin
  facts := private.facts_of_changes(before, task, task.pay_amount);
  if facts = '[]' then
    return;
  end if;
  for applicant in select task_doer_id, agreed_amount from public.bookings
    where task_id = task.id and status = 'pending' order by id
  loop
    facts := private.facts_of_changes(before, task, applicant.agreed_amount);
    perform private.notify_person(applicant.task_doer_id, 'task_changed', news
      || jsonb_build_object('changes', private.words_of_changes(facts), 'changed', facts), '/task/' || task.id);
  end loop;
  if task.status = 'asked' and task.hidden_for is null and not exists (select from public.bookings
    where task_id = task.id and task_doer_id = task.asked_tasker_id and status = 'pending')
  then
    facts := private.facts_of_changes(before, task, task.pay_amount);
    perform private.notify_person(task.asked_tasker_id, 'asked_task_changed', news
      || jsonb_build_object('changes', private.words_of_changes(facts), 'changed', facts), '/task/' || task.id);
  end if;
  perform private.schedule_tick(task.asked_until);
end $$;

create function private.notify_withdrawn_request(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if not exists (select from public.bookings where task_id = task.id and task_doer_id = before.asked_tasker_id) then
    perform private.notify_person(before.asked_tasker_id, 'request_withdrawn', jsonb_build_object(
      'person', private.person_name(task.task_giver_id), 'task', task.title, 'task_id', task.id), '/dashboard');
  end if;
end $$;

create function private.queue_file_moves() returns void
language plpgsql set search_path = '' as $$
begin
  perform private.enqueue_function('run-scheduled', '{}', 'remove-files');
end $$;

create function private.record_task_photos(task public.tasks) returns void
language sql set search_path = '' as $$
  insert into private.shown_pictures (bucket_id, name)
  select 'task-photos', photo from unnest(task.photos || private.small_photos(task.photos)) photo on conflict do nothing
$$;

create function private.require_active_giver() returns void language plpgsql stable set search_path = '' as $$
begin
  if private.is_suspended((select auth.uid())) then
    perform private.fail('account.suspended_for_tasks', null, '{}', '42501');
  end if;
end $$;

create function private.round_pay(task public.tasks) returns public.tasks
language plpgsql set search_path = '' as $$
begin
  task.pay_amount := round(task.pay_amount, 2);
  return task;
end $$;

create function private.schedule_task_expiry(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.schedule_tick(task.scheduled_date + interval '24 hours');
end $$;

create function private.tasks_are_on_hold(giver uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_advisory_xact_lock_shared(private.suspension_lock(giver));
  return exists (select from public.suspensions where user_id = giver and lifted_at is null);
end $$;

create function private.tidy_task(task public.tasks) returns public.tasks
language plpgsql immutable set search_path = '' as $$
begin
  task.title := private.trimmed(task.title);
  task.description := private.trimmed(task.description);
  task.location := private.trimmed(task.location);
  task.tools_description := nullif(private.trimmed(task.tools_description), '');
  return task;
end $$;

create function private.tidy_task_address(address public.task_addresses) returns public.task_addresses
language plpgsql set search_path = '' as $$
begin
  address.address := private.trimmed(address.address);
  return address;
end $$;

create function private.touch_task(task public.tasks) returns public.tasks
language plpgsql stable set search_path = '' as $$
begin
  task.updated_at := now();
  return task;
end $$;
