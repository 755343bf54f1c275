-- Asking one tasker first: the task is theirs alone to read and to apply to for 24 hours (or half of the time that is left
-- until it is to take place, if that is less), then it opens to everyone. Its giver may open it earlier, the tasker may
-- decline, which opens it; while their application waits for the giver it stays theirs. An asked task is not `open`, so
-- no list, search or count of open tasks has it.

alter table public.tasks
  -- Who is asked and until when; null once the task is open, so that nobody reads who declined. No foreign key: a second
  -- way from tasks to profiles would make embedding ambiguous.
  add column asked_tasker_id uuid,
  add column asked_until timestamptz;
create index tasks_asked_of on public.tasks (asked_tasker_id, created_at desc) where status = 'asked';
create index tasks_asked_until on public.tasks (asked_until) where status = 'asked';
grant insert (asked_tasker_id) on public.tasks to authenticated;

insert into private.notification_texts (key, kind, subject, button, title, message) values
  ('task_asked', 'applications', '{person} asks you to do "{task}"', 'See the task', 'You are asked first',
    '{person} asks you to do "{task}". Nobody else sees it until you answer or the time is over.'),
  ('request_declined', 'applications', '{person} cannot do "{task}"', 'See the task', 'Your task is open to everyone',
    '{person} cannot do "{task}". Every tasker sees it now.'),
  ('request_expired', 'applications', '{person} did not answer about "{task}"', 'See the task', 'Your task is open to everyone',
    '{person} did not answer in time. Every tasker sees "{task}" now.'),
  ('request_withdrawn', 'applications', '"{task}" was withdrawn', 'Open your dashboard', 'Task withdrawn',
    '{person} withdrew "{task}", which you were asked to do.');

create function private.is_tasker(person uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from private.profiles where id = person and role = 'task_doer' and deleted_at is null);
end $$;
grant execute on function private.is_tasker(uuid) to authenticated, service_role;

create function private.check_asked_tasker() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.asked_tasker_id is not null then
    if new.asked_tasker_id = new.task_giver_id then
      raise exception using message = 'You cannot ask yourself', hint = 'asked_tasker_id';
    end if;
    if not private.is_tasker(new.asked_tasker_id) then
      raise exception using message = 'Only a tasker can be asked', hint = 'asked_tasker_id';
    end if;
  end if;
  return new;
end $$;
create trigger "33_asked" before insert on public.tasks
for each row execute function private.check_asked_tasker();

create function private.keep_asked_tasker() returns trigger language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    if new.asked_tasker_id is not null then
      new.status := 'asked';
      new.asked_until := least(now() + interval '24 hours', now() + (new.scheduled_date - now()) / 2);
    end if;
  elsif new.status <> 'asked' then
    new.asked_tasker_id := null;
    new.asked_until := null;
  end if;
  return new;
end $$;
create trigger "91_asked" before insert or update on public.tasks
for each row execute function private.keep_asked_tasker();

-- The rules of a task that is open hold for one that is asked, too.

create or replace function private.check_task_is_free() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client()
    and to_jsonb(new) - '{status,updated_at}'::text[] <> to_jsonb(old) - '{status,updated_at}'::text[]
    and (old.status in ('open', 'asked') and new.status = old.status
      and not private.task_has_applications(old.id)) is not true
  then
    raise exception using hint = 'status',
      message = 'A task can be changed only while it is open and nobody has applied';
  end if;
  return new;
end $$;

create or replace function private.check_task_step() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.status is distinct from old.status then
    if ((old.status = 'open' and new.status = 'cancelled')
      or (old.status = 'asked' and new.status in ('open', 'cancelled'))
      or (old.status = 'assigned' and new.status = 'completed' and private.task_is_released(old.id))) is not true
    then
      raise exception using message = format('A task cannot go from %s to %s', old.status, new.status), hint = 'status';
    end if;
    if new.status = 'cancelled' and not private.reserve_decision(old.id) then
      raise exception using message = 'This task is being decided right now. Please try again.', hint = 'status';
    end if;
  end if;
  return new;
end $$;

create or replace function private.check_application() returns trigger
language plpgsql set search_path = '' as $$
declare
  task constant public.tasks := private.lock_task(new.task_id);
begin
  -- To everybody else a task that one tasker is asked to do is not there.
  perform private.require(task.id is not null
    and (task.status <> 'asked' or new.task_doer_id in (task.asked_tasker_id, task.task_giver_id)), 'Task not found', 'task_id');
  perform private.allow(task.task_giver_id <> new.task_doer_id, 'You cannot apply to your own task');
  perform private.require(not private.has_other_application(new.task_id, new.task_doer_id),
    'You have already applied to this task', 'task_id');
  perform private.require(task.status in ('open', 'asked'), 'This task is no longer open', 'task_id');
  -- A client may say which price its person saw; one that says nothing applies for the price as it stands.
  perform private.require(coalesce(new.agreed_amount, 'NaN') in ('NaN', task.pay_amount),
    format('The price of this task is now $%s. Please look at it again before you apply.',
      to_char(task.pay_amount, 'FM999999990.00')), 'agreed_amount');
  new.task_giver_id := task.task_giver_id;
  new.agreed_amount := task.pay_amount;
  return new;
end $$;

create or replace function private.check_acceptance() returns trigger
language plpgsql set search_path = '' as $$
declare
  task public.tasks;
begin
  perform private.require(private.reserve_decision(new.task_id),
    'This task is being decided right now. Please try again.', 'status');
  task := private.lock_task(new.task_id);
  perform private.require(task.status in ('open', 'asked'), 'This task is no longer open', 'status');
  new.period := private.task_period(task);
  perform private.require(private.tasker_is_free(new.task_doer_id, new.period),
    'This tasker already has a booking at that time', 'status');
  new.accepted_at := now();
  return new;
end $$;

drop trigger follow_task on public.tasks;
create trigger follow_task after update of status on public.tasks
for each row when (old.status in ('open', 'asked') and new.status = 'cancelled') execute function private.follow_task();

alter policy "anyone reads open tasks and those of shown reviews, people their own and those they applied to" on public.tasks
using (status = 'open' or task_giver_id = (select auth.uid())
  or (status = 'asked' and asked_tasker_id = (select auth.uid())) or (select private.is_admin())
  or private.has_applied(id) or private.task_is_reviewed(id));

-- What follows.

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

-- Who has applied already hears of the application's end.
create function private.follow_withdrawn_request() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if not exists (select from public.bookings where task_id = new.id and task_doer_id = old.asked_tasker_id) then
    perform private.notify_person(old.asked_tasker_id, 'request_withdrawn', jsonb_build_object(
      'person', private.person_name(new.task_giver_id), 'task', new.title), '/dashboard');
  end if;
  return null;
end $$;
create trigger follow_withdrawn_request after update of status on public.tasks
for each row when (old.status = 'asked' and new.status = 'cancelled') execute function private.follow_withdrawn_request();

-- The application of who was asked came to nothing: the task opens.
create function private.open_after_application() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.tasks set status = 'open', updated_at = now()
  where id = new.task_id and status = 'asked' and asked_tasker_id = new.task_doer_id;
  return null;
end $$;
create trigger open_after_application after update of status on public.bookings
for each row when (old.status = 'pending' and new.status in ('rejected', 'cancelled'))
execute function private.open_after_application();

-- The tasker who was asked says no; the task opens to everyone, and its giver hears of it.
create function public.decline_request(task_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  task public.tasks;
begin
  select * into task from public.tasks t
  where t.id = decline_request.task_id and t.status = 'asked' and t.asked_tasker_id = auth.uid() for no key update;
  perform private.require(task.id is not null, 'You are not asked to do this task any more', 'task_id');
  perform private.require(not private.has_other_application(task.id, auth.uid()),
    'You have applied to this task. Withdraw your application instead.', 'task_id');
  update public.tasks set status = 'open', updated_at = now() where id = task.id;
  perform private.notify_person(task.task_giver_id, 'request_declined', jsonb_build_object(
    'person', private.person_name(auth.uid()), 'task', task.title), '/task/' || task.id);
end $$;
grant execute on function public.decline_request(uuid) to authenticated;

-- A request whose time is over. While an application waits for the giver the task stays as it is, until it would
-- take place.
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

-- What time does about tasks: those that were asked of one tasker open, open ones are closed a day after they were to
-- take place. run_scheduled calls it.
create or replace function private.close_overdue_task() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
begin
  if private.open_asked_task() = 1 then
    return 1;
  end if;
  select t.id, t.task_giver_id, t.title into due from public.tasks t
  where t.status = 'open' and t.scheduled_date <= now() - interval '24 hours'
  order by t.id limit 1 for no key update skip locked;
  if not found or not private.reserve_decision(due.id) then
    return 0;
  end if;
  update public.tasks set status = 'cancelled', updated_at = now() where id = due.id;
  perform private.notify_person(due.task_giver_id, 'task_expired', jsonb_build_object('task', due.title), '/dashboard');
  return 1;
end $$;

-- An account that ends: what it asked is withdrawn, what it was asked opens. Runs before erase_person.
create function private.end_requests() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = old.id and status = 'asked';
  update public.tasks set status = 'open', updated_at = now() where asked_tasker_id = old.id and status = 'asked';
  return old;
end $$;
create trigger end_requests before delete on auth.users
for each row execute function private.end_requests();
