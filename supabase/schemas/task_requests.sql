-- Requests: a giver asks one tasker first, and only that tasker can see and take the task for a limited time.

-- Requires that the asked person is a visible tasker and not the giver.
create function private.check_asked_tasker(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.asked_tasker_id is not null then
    if task.asked_tasker_id = task.task_giver_id then
      perform private.fail('task.asked_self', 'asked_tasker_id');
    end if;
    if not private.is_tasker(task.asked_tasker_id) then
      perform private.fail('task.asked_not_tasker', 'asked_tasker_id');
    end if;
  end if;
end $$;

-- Refuses a time at which the asked tasker, who shows free times, has a booking.
create function private.check_asked_time(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (task.scheduled_date, task.duration_minutes) is distinct from (before.scheduled_date, before.duration_minutes)
    and private.is_slot_taken(task)
  then
    perform private.fail('task.slot_taken', 'scheduled_date');
  end if;
end $$;

-- Keeps asked_tasker_id and asked_until. A request lasts 24 hours, or half the time until the work if that is less; moving
-- the work to an earlier time shortens it. Both are cleared once the task is no longer a request.
create function private.update_request_deadline(task public.tasks, before public.tasks) returns public.tasks
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

-- Notifies the asked tasker and schedules the end of the request.
create function private.notify_asked_tasker(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(task.asked_tasker_id, 'task_asked', jsonb_build_object(
    'person', private.named(task.task_giver_id), 'task', task.title), '/task/' || task.id);
  perform private.schedule_tick(task.asked_until);
end $$;

-- Notifies the asked tasker of a withdrawn request, unless they have applied. A hidden task sends nothing, because they cannot
-- read it. The params contain the task's id, because the link does not.
create function private.notify_withdrawn_request(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if not exists (select from public.bookings where task_id = task.id and task_doer_id = before.asked_tasker_id) then
    perform private.notify_person(before.asked_tasker_id, 'request_withdrawn', jsonb_build_object(
      'person', private.named(task.task_giver_id), 'task', task.title, 'task_id', task.id), '/dashboard');
  end if;
end $$;

-- Opens a task to everyone when the application of the tasker who was asked first is rejected or cancelled.
create function private.open_request_to_everyone(booking public.bookings) returns void
language sql set search_path = '' as $$
  update public.tasks set status = 'open', updated_at = now()
  where id = booking.task_id and status = 'asked' and asked_tasker_id = booking.task_doer_id
$$;

-- Declines a request, as the tasker who was asked: the task opens to everyone, and its giver is notified.
create function public.decline_request(task_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  task public.tasks;
begin
  select * into task from public.tasks t
  where t.id = decline_request.task_id and t.status = 'asked' and t.asked_tasker_id = auth.uid() for no key update;
  perform private.require(task.id is not null, 'task.no_longer_asked', 'task_id');
  perform private.require(not private.has_other_application(task.id, auth.uid()),
    'task.asked_has_applied', 'task_id');
  update public.tasks set status = 'open', updated_at = now() where id = task.id;
  perform private.notify_person(task.task_giver_id, 'request_declined', jsonb_build_object(
    'person', private.named(auth.uid()), 'task', task.title), '/task/' || task.id);
end $$;

-- Opens a task whose request has expired. While an application waits for the giver, the request lasts until the time of the work.
create function private.open_asked_task() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due public.tasks;
begin
  select * into due from public.tasks t
  where t.status = 'asked' and t.asked_until <= now()
    and (t.scheduled_date <= now() or not exists (select from public.bookings b where b.task_id = t.id and b.status = 'pending'))
  order by t.asked_until limit 1 for no key update skip locked;
  if not found then
    return 0;
  end if;
  update public.tasks set status = 'open', updated_at = now() where id = due.id;
  perform private.notify_person(due.task_giver_id, 'request_expired', jsonb_build_object(
    'person', private.named(due.asked_tasker_id), 'task', due.title), '/task/' || due.id);
  return 1;
end $$;

-- Withdraws the requests that a deleted account made, and opens the tasks that it was asked to do.
create function private.end_requests(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = person and status = 'asked';
  update public.tasks set status = 'open', updated_at = now() where asked_tasker_id = person and status = 'asked';
end $$;

grant execute on function
  public.decline_request(uuid)
to authenticated;
grant execute on function
  private.check_asked_tasker(public.tasks), private.check_asked_time(public.tasks, public.tasks), private.update_request_deadline(public.tasks, public.tasks)
to authenticated, service_role;
