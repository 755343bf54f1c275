-- What a verification shows on its person, and what a change of name, photo or badge does to it.

-- What a decision shows on the person, and the notice of it. Whose approval is taken back loses an admin's word, too.
create function private.apply_verification() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  person uuid := coalesce(new.user_id, old.user_id);
  approved boolean := coalesce(new.verification_status = 'verified', false);
  taken_back boolean := coalesce(old.verification_status = 'verified' and new.verification_status = 'rejected', false);
begin
  update public.profiles set
    id_verified = approved,
    background_checked = coalesce(approved and new.background_check_status = 'verified', false),
    insured = coalesce(approved and private.is_insured(new), false),
    verified_by_admin = verified_by_admin and not taken_back,
    verified_at = case when not taken_back then verified_at end,
    verified_by = case when not taken_back then verified_by end
  where id = person;
  if tg_op <> 'DELETE' and new.has_insurance then
    perform private.schedule_tick(((new.insurance_expiry_date + 1)::timestamp at time zone 'America/Regina'));
  end if;
  if new.verification_status = 'pending' and old.verification_status is distinct from 'pending'
      and old.verification_status is distinct from 'verified' then
    perform private.notify_person(person, 'verification_submitted', '{}', '/dashboard');
    perform private.notify_admins('verification_waiting', jsonb_build_object('person', private.person_name(person)),
      '/admin/verify-users?tab=waiting');
  elsif tg_op = 'UPDATE' and new.verification_status is distinct from old.verification_status then
    if approved then
      perform private.notify_person(person, 'verification_approved', '{}', '/dashboard');
    elsif taken_back then
      perform private.notify_person(person, 'verification_withdrawn',
        jsonb_build_object('reason', new.refusal_reason), '/verification');
    elsif new.verification_status = 'rejected' then
      perform private.notify_person(person, 'verification_refused',
        jsonb_build_object('reason', new.refusal_reason), '/verification');
    end if;
  end if;
  return null;
end $$;

create trigger apply_verification after insert or update or delete on public.verifications
for each row execute function private.apply_verification();

-- An approval that no longer holds waits for another look; false when there is none. A decision that is being made holds
-- the record and will want the profile, so whoever holds the profile does not wait for it.
create function private.review_again(person uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  begin
    perform from public.verifications where user_id = person for no key update nowait;
  exception when lock_not_available then
    raise exception 'This verification is being decided right now. Please try again.' using errcode = 'P0001';
  end;
  update public.verifications set verification_status = 'pending', decided_at = null, decided_by = null, updated_at = now()
  where user_id = person and verification_status = 'verified';
  return found;
end $$;

-- Who is verified by an admin's own word, or no longer, hears of it. What was approved goes with the badge.
create function private.follow_admin_verification() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.verified_by_admin then
    if not old.id_verified then
      perform private.notify_person(new.id, 'verification_approved', '{}', '/dashboard');
    end if;
  else
    perform private.review_again(new.id);
    perform private.notify_person(new.id, 'badge_removed', '{}', '/profile');
  end if;
  return null;
end $$;

-- A change of the name or of what was approved takes an admin's word along and tells of it in words of its own.
create trigger follow_admin_verification after update of verified_by_admin on public.profiles
for each row when (new.verified_by_admin <> old.verified_by_admin and new.id_verified = old.id_verified
  and new.full_name is not distinct from old.full_name)
execute function private.follow_admin_verification();

-- Another name: what was approved is looked at again, and so is what is being looked at. A decision about what an admin
-- read names updated_at, so none is made about a name that changed meanwhile.
create function private.follow_name() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  names jsonb := jsonb_build_object('before', coalesce(old.full_name, ''), 'name', new.full_name);
  queue text := '/admin/verify-users';
begin
  if private.review_again(new.id) then
    queue := queue || '?tab=waiting';
  end if;
  if not old.is_verified then
    update public.verifications set updated_at = now() where user_id = new.id and verification_status = 'pending';
    return null;
  end if;
  perform private.notify_admins('verified_name_changed', names, queue);
  perform private.notify_person(new.id, 'name_under_review', names, '/profile');
  return null;
end $$;

create trigger follow_name after update of full_name on public.profiles
for each row when (new.deleted_at is null and lower(new.full_name) is distinct from lower(old.full_name))
execute function private.follow_name();

-- The badge stands for the name, and stays when the photo changes; admins have a look, and hear of it once until then.
create function private.follow_photo() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  news jsonb := jsonb_build_object('person', private.person_name(new.id), 'id', new.id);
begin
  if not exists (select from public.notifications n join public.user_roles r on r.user_id = n.user_id and r.role = 'admin'
      where n.key = 'verified_photo_changed' and not n.read and n.params ->> 'id' = new.id::text) then
    perform private.notify_admins('verified_photo_changed', news, '/profile/' || new.id);
  end if;
  return null;
end $$;

create trigger follow_photo after update of avatar_url on public.profiles
for each row when (new.is_verified and new.avatar_url is distinct from old.avatar_url and new.avatar_url is not null)
execute function private.follow_photo();
