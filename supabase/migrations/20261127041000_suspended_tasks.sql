-- Puts all open tasks of a suspended giver on hold, including tasks that become open again during the suspension.

-- Whether the task waits for the end of its giver's suspension: a computed column of tasks, for those who see the task.
create function public.on_hold(task public.tasks) returns boolean
language sql immutable set search_path = '' as $$
  select task.hidden_for is not distinct from 'suspension' and task.status in ('open', 'asked')
$$;
revoke execute on function public.on_hold(public.tasks) from public;
grant execute on function public.on_hold(public.tasks) to anon, authenticated, service_role;

-- Suspending a person and lifting it wait for whoever lists a task of theirs at that moment, and the other way round.
create function private.suspension_lock(person uuid) returns bigint
language sql immutable set search_path = '' as $$
  select hashtextextended('suspension ' || person, 0)
$$;

-- Asks the suspensions alone, and not private.is_suspended: a ban by the auth service ends without anybody showing the tasks again.
create function private.hold_task() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.status not in ('open', 'asked') or new.hidden_for is not null
    or tg_op = 'UPDATE' and old.status in ('open', 'asked')
  then
    return new;
  end if;
  perform pg_advisory_xact_lock_shared(private.suspension_lock(new.task_giver_id));
  if exists (select from public.suspensions where user_id = new.task_giver_id and lifted_at is null) then
    new.hidden_for := 'suspension';
  end if;
  return new;
end $$;
create trigger "19_hold" before insert on public.tasks for each row execute function private.hold_task();
create trigger "33_hold" before update of status on public.tasks for each row execute function private.hold_task();

-- As in 20261123002220_suspended_people_finish.sql, behind the lock.
create or replace function public.suspend_person(person uuid, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  given text;
begin
  perform private.allow(private.is_admin(), 'Only admins can suspend people');
  given := private.admin_reason(reason);
  perform pg_advisory_xact_lock(private.suspension_lock(person));
  perform from private.profiles where id = person and deleted_at is null for no key update;
  perform private.require(found, 'There is no such account', 'person');
  perform private.require(not exists (select from public.user_roles r where r.user_id = person and r.role = 'admin'),
    'An admin cannot be suspended: give them another role first', 'person');
  perform private.require(not exists (select from public.suspensions s where s.user_id = person and s.lifted_at is null),
    'This person is suspended already', 'person');
  insert into public.suspensions (user_id, reason, suspended_by) values (person, given, auth.uid());
  update public.tasks set hidden_for = 'suspension'
  where task_giver_id = person and status in ('open', 'asked') and hidden_for is null;
  update private.profiles set hidden_for = 'suspension' where id = person and hidden_for is null;
  perform private.notify_person(person, 'account_suspended', jsonb_build_object('reason', given), '/profile');
end $$;

-- As in 20261124000100_bans_stay.sql, behind the lock.
create or replace function public.lift_suspension(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'Only admins can lift a suspension');
  perform pg_advisory_xact_lock(private.suspension_lock(person));
  update public.suspensions set lifted_at = now(), lifted_by = auth.uid() where user_id = person and lifted_at is null;
  perform private.require(found, 'This person is not suspended', 'person');
  update public.tasks set hidden_for = null where task_giver_id = person and hidden_for = 'suspension';
  update private.profiles set hidden_for = null where id = person and hidden_for = 'suspension';
  perform private.notify_person(person, 'suspension_lifted', '{}', '/dashboard');
end $$;

update public.tasks t set hidden_for = 'suspension' from public.suspensions s
where s.user_id = t.task_giver_id and s.lifted_at is null and t.status in ('open', 'asked') and t.hidden_for is null;

-- A suspended giver chooses nobody and pays nothing: neither waits for them meanwhile.
do $$
declare
  before constant text := pg_get_functiondef('public.my_action_items()'::regprocedure);
  after constant text := replace(replace(before,
    E'b.status = \'accepted\'\n      join public.tasks t on t.id = b.task_id\n',
    E'b.status = \'accepted\'\n      join public.tasks t on t.id = b.task_id\n    where not private.is_suspended(me.id)\n'),
    E'    group by t.id, t.title\n', E'    where not private.is_suspended(me.id)\n    group by t.id, t.title\n');
begin
  assert length(after) = length(before) + 2 * length(E'    where not private.is_suspended(me.id)\n');
  execute after;
end $$;
