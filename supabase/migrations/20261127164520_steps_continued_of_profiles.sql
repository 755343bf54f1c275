-- More named steps for the triggers of profiles, which the next migration merges.
set check_function_bodies = off;

create or replace function private.recount_person(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform from private.profiles where id = person for no key update;
  update private.profiles p set rating = r.rating, total_reviews = r.total_reviews,
    completed_tasks = r.completed_tasks, response_rate = r.response_rate, on_time_rate = r.on_time_rate,
    trust_score = r.trust_score
  from private.record_of(person) r
  where p.id = person
    and (p.rating, p.total_reviews, p.completed_tasks, p.response_rate, p.on_time_rate, p.trust_score)
      is distinct from (r.rating, r.total_reviews, r.completed_tasks, r.response_rate, r.on_time_rate, r.trust_score);
end $$;

create function private.refuse_suspended_profile(profile private.profiles, before private.profiles) returns void
language plpgsql stable set search_path = '' as $$
begin
  if private.is_suspended(profile.id) and exists (
    select from unnest(private.public_profile_columns()) field
    where to_jsonb(profile) -> field is distinct from to_jsonb(before) -> field)
  then
    perform private.fail('account.suspended_for_profile', null, '{}', '42501');
  end if;
end $$;

create function private.remove_badge(profile private.profiles) returns private.profiles
language plpgsql immutable set search_path = '' as $$
begin
  profile.id_verified := false;
  profile.background_checked := false;
  profile.insured := false;
  profile.verified_by_admin := false;
  profile.verified_at := null;
  profile.verified_by := null;
  return profile;
end $$;

create function private.review_new_name(profile private.profiles, before private.profiles) returns void
language plpgsql set search_path = '' as $$
declare
  names constant jsonb := jsonb_build_object('before', coalesce(before.full_name, ''), 'name', profile.full_name);
  queue text := '/admin/verify-users';
begin
  if private.review_again(profile.id) then
    queue := queue || '?tab=waiting';
  end if;
  if not before.is_verified then
    update public.verifications set updated_at = now() where user_id = profile.id and verification_status = 'pending';
    return;
  end if;
  perform private.notify_admins('verified_name_changed', names, queue);
  perform private.notify_person(profile.id, 'name_under_review', names, '/profile');
end $$;

create function private.round_hourly_rate(profile private.profiles) returns private.profiles
language plpgsql immutable set search_path = '' as $$
begin
  profile.hourly_rate := round(profile.hourly_rate, 2);
  return profile;
end $$;

create function private.sync_verified_name(profile private.profiles) returns private.profiles
language plpgsql immutable set search_path = '' as $$
begin
  profile.verified_name := case when profile.deleted_at is null then profile.full_name end;
  return profile;
end $$;

create function private.tidy_profile(profile private.profiles) returns private.profiles
language plpgsql immutable set search_path = '' as $$
begin
  profile.phone := nullif(private.trimmed(profile.phone), '');
  profile.city := nullif(private.trimmed(profile.city), '');
  profile.bio := nullif(private.trimmed(profile.bio), '');
  profile.avatar_url := nullif(private.trimmed(profile.avatar_url), '');
  return profile;
end $$;

create function private.withdraw_review_requests(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.notifications n using public.bookings b
  where n.key = 'review_asked' and person in (b.task_giver_id, b.task_doer_id)
    and n.user_id in (b.task_giver_id, b.task_doer_id) and n.link like private.booking_link(b.id) || '%';
  delete from private.email_events e using public.bookings b
  where e.key = 'review_asked' and e.email_id is null and person in (b.task_giver_id, b.task_doer_id) 
    and e.person_id in (b.task_giver_id, b.task_doer_id) and e.link like private.booking_link(b.id) || '%';
end $$;
