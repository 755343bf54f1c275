-- Suspended people sign in and finish what is under way: money is held for it and somebody waits. Before, they were banned from
-- signing in, so that work in hand could be ended only while a token was out. What they do not begin is refused by the rules that
-- ask is_suspended(); a ban by GoTrue's own admin API goes on keeping people out (ADR 58).

create or replace function private.is_suspended(person uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.suspensions where user_id = person and lifted_at is null)
    or exists (select from auth.users where id = person and banned_until > now());
end $$;

-- Suspends a person until it is lifted: no admin, and not twice. Their open tasks and their card in Find Taskers are hidden meanwhile.
create or replace function public.suspend_person(person uuid, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  given text;
begin
  perform private.allow(private.is_admin(), 'Only admins can suspend people');
  given := private.admin_reason(reason);
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

-- A ban of a hundred years is one that a suspension made.
update auth.users u set banned_until = null from public.suspensions s
where s.user_id = u.id and s.lifted_at is null and u.banned_until > now() + interval '50 years';

update private.notification_texts set message = 'You cannot post tasks, apply, hire or write messages until an administrator lifts it. '
  'You can sign in and finish what is under way. The reason: {reason}' where key = 'account_suspended';

-- A token lasted an hour; now others would read for long what a suspended person writes about themselves.
create function private.refuse_suspended_profile() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_suspended((select auth.uid())) then
    raise exception using errcode = '42501',
      message = 'Your account is suspended: you cannot change your profile until this is lifted';
  end if;
  return new;
end $$;
create trigger "21_account" before update of full_name, bio, avatar_url, skills on private.profiles for each row
when (row(new.full_name, new.bio, new.avatar_url, new.skills) is distinct from row(old.full_name, old.bio, old.avatar_url, old.skills)
  and new.deleted_at is null)
execute function private.refuse_suspended_profile();
