-- Requests: a giver asks one tasker first, and only that tasker can see and take the task for a limited time.

-- Requires that the asked person is a visible tasker and not the giver.
create function private.check_asked_tasker() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.asked_tasker_id is not null then
    if new.asked_tasker_id = new.task_giver_id then
      perform private.fail('task.asked_self', 'asked_tasker_id');
    end if;
    if not private.is_tasker(new.asked_tasker_id) then
      perform private.fail('task.asked_not_tasker', 'asked_tasker_id');
    end if;
  end if;
  return new;
end $$;

create trigger "33_asked" before insert on public.tasks
for each row execute function private.check_asked_tasker();

-- Keeps asked_tasker_id and asked_until. A request lasts 24 hours, or half the time until the work if that is less; moving
-- the work to an earlier time shortens it. Both are cleared once the task is no longer a request.
create function private.keep_asked_tasker() returns trigger
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

create trigger "91_asked" before insert or update on public.tasks
for each row execute function private.keep_asked_tasker();

-- Notifies the tasker and schedules the end of the request.
create function private.follow_asked_task() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.notify_person(new.asked_tasker_id, 'task_asked', jsonb_build_object(
    'person', private.person_name(new.task_giver_id), 'task', new.title), '/task/' || new.id);
  perform private.schedule_tick(new.asked_until);
  return null;
end $$;

create trigger follow_asked_task after insert on public.tasks
for each row when (new.status = 'asked') execute function private.follow_asked_task();

-- Notifies the asked tasker of a withdrawn request, unless they have applied. A hidden task sends nothing, because they cannot
-- read it. The params contain the task's id, because the link does not.
create function private.follow_withdrawn_request() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if not exists (select from public.bookings where task_id = new.id and task_doer_id = old.asked_tasker_id) then
    perform private.notify_person(old.asked_tasker_id, 'request_withdrawn', jsonb_build_object(
      'person', private.person_name(new.task_giver_id), 'task', new.title, 'task_id', new.id), '/dashboard');
  end if;
  return null;
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
    'person', private.person_name(auth.uid()), 'task', task.title), '/task/' || task.id);
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
    'person', private.person_name(due.asked_tasker_id), 'task', due.title), '/task/' || due.id);
  return 1;
end $$;

-- Withdraws the requests that a deleted account made, and opens the tasks that it was asked to do. Runs before erase_person.
create function private.end_requests() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = old.id and status = 'asked';
  update public.tasks set status = 'open', updated_at = now() where asked_tasker_id = old.id and status = 'asked';
  return old;
end $$;

create trigger end_requests before delete on auth.users
for each row execute function private.end_requests();

create trigger follow_withdrawn_request after update of status on public.tasks for each row
when (old.status = 'asked' and new.status = 'cancelled' and new.hidden_for is null)
execute function private.follow_withdrawn_request();

grant execute on function
  public.decline_request(uuid)
to authenticated;
