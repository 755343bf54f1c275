-- Both sides in one account: a person adds the other side themselves and switches between them; administrators set any roles.

-- Gives the caller another role and makes it active. A caller who already has the role only switches to it.
create function public.add_role(role public.app_role) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
begin
  perform from private.profiles where id = person and deleted_at is null for no key update;
  perform private.allow(found, 'Not authenticated');
  perform private.require(coalesce(add_role.role in ('task_giver', 'task_doer'), false),
    'role must be task_giver or task_doer', 'role');
  if not private.has_role(add_role.role) then
    perform private.allow(not private.is_suspended(person),
      'Your account is suspended: you cannot add a role until this is lifted');
    perform private.require(not exists (select from private.unfinished_accounts where person_id = person),
      'Finish your account first', 'role');
    insert into public.user_roles (user_id, role) values (person, add_role.role);
  end if;
  perform public.switch_role(add_role.role);
end $$;

-- Makes one of the caller's roles the active one, on all their devices. It changes no right.
create function public.switch_role(role public.app_role) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
begin
  perform private.allow(coalesce(private.has_role(switch_role.role), false), 'You do not have this role');
  perform from private.profiles where id = person for no key update;
  update public.user_roles r set active = false where r.user_id = person and r.active and r.role <> switch_role.role;
  update public.user_roles r set active = true where r.user_id = person and not r.active and r.role = switch_role.role;
end $$;

-- Replaces a person's roles; the last admin cannot lose that role. An advisory lock serializes concurrent changes.
create function public.set_roles(person uuid, roles public.app_role[]) returns void
language plpgsql security definer set search_path = '' as $$
declare
  wanted constant public.app_role[] := array(select distinct w from unnest(roles) w where w is not null order by w);
begin
  perform private.allow(private.is_admin(), 'Only admins can change roles');
  perform private.require(cardinality(wanted) > 0, 'A role is required', 'role');
  perform pg_advisory_xact_lock(hashtextextended('admins', 0));
  perform from private.profiles where id = person and deleted_at is null for no key update;
  perform private.require(found, 'There is no such account', 'person');
  perform private.require(not 'admin' = any (wanted) or not private.is_suspended(person),
    'A suspended person cannot become an admin: lift the suspension first', 'role');
  perform private.require('admin' = any (wanted)
    or exists (select from public.user_roles r where r.role = 'admin' and r.user_id <> person),
    'This is the last admin: make somebody else an admin first', 'role');
  if array(select r.role from public.user_roles r where r.user_id = person order by r.role) = wanted then
    return;
  end if;
  delete from public.user_roles r where r.user_id = person and r.role <> all (wanted);
  insert into public.user_roles (user_id, role) select person, w from unnest(wanted) w
  on conflict on constraint user_roles_user_id_role_key do nothing;
  perform private.notify_person(person, 'role_changed', jsonb_build_object('role', case wanted
    when '{task_giver}' then 'task giver' when '{task_doer}' then 'tasker' when '{task_giver,task_doer}' then 'tasker and task giver'
    when '{admin}' then 'administrator' when '{task_giver,admin}' then 'administrator and task giver'
    when '{task_doer,admin}' then 'administrator and tasker' else 'administrator, tasker and task giver' end), '/dashboard');
end $$;

-- The previous version of the app sets a single role.
create or replace function public.set_role(person uuid, role public.app_role) returns void
language sql security definer set search_path = '' as $$
  select public.set_roles(person, array[role])
$$;

revoke execute on function public.add_role(public.app_role), public.switch_role(public.app_role),
  public.set_roles(uuid, public.app_role[]) from public, anon;
grant execute on function public.add_role(public.app_role), public.switch_role(public.app_role),
  public.set_roles(uuid, public.app_role[]) to authenticated;
