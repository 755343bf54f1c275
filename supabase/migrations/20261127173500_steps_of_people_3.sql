-- Named steps of what happens before and after a change of profiles, verifications and accounts (3 of 3).
set check_function_bodies = off;

create or replace function private.record_of(person uuid) returns table (
  rating numeric, total_reviews integer, completed_tasks integer, response_rate integer, on_time_rate integer,
  trust_score integer
) language sql volatile security definer set search_path = '' as $$
  with shown as (
    select coalesce(round(avg(r.rating), 2), 0) as rating, count(*)::int as total
    from public.reviews r where r.reviewee_id = person and r.visible_from <= clock_timestamp() and r.hidden_at is null
  ), jobs as (
    select count(*) filter (where p.payee_id = person)::int as done, count(*)::int as paid
    from public.payments p join public.bookings b on b.id = p.booking_id and b.status = 'completed'
    where (p.payee_id = person or p.payer_id = person)
      and p.escrow_status in ('released', 'refunded') and p.payout_amount > 0
  ), asked as (
    select b.created_at as at, b.answered_at as answered
    from public.bookings b where b.task_giver_id = person and b.status <> 'pending'
      and (b.answered_at is not null or b.cancelled_by is distinct from b.task_doer_id)
    union all
    select question.at, answer.at
    from public.bookings b
    cross join lateral (select min(m.created_at) as at from public.messages m
      where m.booking_id = b.id and m.receiver_id = person) question
    cross join lateral (select min(m.created_at) as at from public.messages m
      where m.booking_id = b.id and m.sender_id = person and m.created_at >= question.at) answer
    where b.task_doer_id = person and question.at < coalesce(b.completed_at, b.cancelled_at, 'infinity')
      and (answer.at is not null
        or b.status in ('completed', 'cancelled') and question.at + interval '24 hours' <= clock_timestamp())
  ), answers as (
    select coalesce(round(100.0 * count(*) filter (where answered <= at + interval '24 hours') / nullif(count(*), 0)),
      100)::int as rate from asked
  ), due as (
    select b.status = 'completed' and b.completed_at <= case
        when t.duration_minutes is not null
          then t.scheduled_date + make_interval(mins => t.duration_minutes) + interval '2 hours'
        else (date_trunc('day', t.scheduled_date at time zone private.time_zone()) + interval '1 day') at time zone private.time_zone()
      end as on_time
    from public.bookings b join public.tasks t on t.id = b.task_id
    where b.task_doer_id = person and (
      (b.status = 'completed' and t.scheduled_date is not null)
      or (b.status = 'cancelled' and b.accepted_at is not null and b.cancelled_by = person))
  ), punctual as (
    select coalesce(round(100.0 * count(*) filter (where on_time) / nullif(count(*), 0)), 100)::int as rate from due
  )
  select shown.rating, shown.total, jobs.done, answers.rate, punctual.rate,
    least(100, greatest(0, round(50
      + case when p.is_verified then 15 else 0 end
      + case when p.background_checked then 5 else 0 end
      + case when p.insured then 5 else 0 end
      + case when shown.total > 0 then (shown.rating - 3) * 10 * least(shown.total, 5) / 5.0 else 0 end
      + least(10, jobs.paid)
      - (100 - punctual.rate) / 5.0
      - (100 - answers.rate) / 10.0)))::int
  from shown, jobs, answers, punctual, public.profiles p where p.id = person
$$;

create function private.recount_parties(payment public.payments) returns void
language plpgsql set search_path = '' as $$
begin
  if exists (select from public.bookings where id = payment.booking_id and status = 'completed') then
    perform private.recount_person(least(payment.payer_id, payment.payee_id));
    perform private.recount_person(greatest(payment.payer_id, payment.payee_id));
  end if;
end $$;

create function private.recount_party(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.recount_person(case when before.status = 'pending' then booking.task_giver_id else booking.task_doer_id end);
end $$;

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

create function private.reopen_verification(person uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  begin
    perform from public.verifications where user_id = person for no key update nowait;
  exception when lock_not_available then
    perform private.fail('verification.being_decided');
  end;
  update public.verifications set verification_status = 'pending', decided_at = null, decided_by = null, updated_at = now()
  where user_id = person and verification_status = 'verified';
  return found;
end $$;

create function private.require_active_account() returns void language plpgsql stable set search_path = '' as $$
begin
  if private.is_suspended((select auth.uid())) then
    perform private.fail('account.suspended', null, '{}', '42501');
  end if;
end $$;

create function private.require_active_giver() returns void language plpgsql stable set search_path = '' as $$
begin
  if private.is_suspended((select auth.uid())) then
    perform private.fail('account.suspended_for_tasks', null, '{}', '42501');
  end if;
end $$;

create function private.review_new_name(profile private.profiles, before private.profiles) returns void
language plpgsql set search_path = '' as $$
declare
  names constant jsonb := jsonb_build_object('before', coalesce(before.full_name, ''), 'name', profile.full_name);
  queue text := '/admin/verify-users';
begin
  if private.reopen_verification(profile.id) then
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

create function private.schedule_insurance_end(verification public.verifications) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.schedule_tick((verification.insurance_expiry_date + 1)::timestamp at time zone private.time_zone());
end $$;

create function private.stamp_submission(verification public.verifications) returns public.verifications
language plpgsql stable set search_path = '' as $$
begin
  verification.updated_at := now();
  verification.verification_status := 'pending';
  verification.id_verified := false;
  verification.background_check_status := 'pending';
  verification.refusal_reason := null;
  verification.decided_at := null;
  verification.decided_by := null;
  verification.terms_accepted_at := now();
  verification.privacy_accepted_at := now();
  return verification;
end $$;

create function private.stamp_verification(verification public.verifications, before public.verifications)
returns public.verifications
language plpgsql stable set search_path = '' as $$
begin
  if private.is_client() then
    verification.updated_at := now();
  end if;
  if verification.verification_status <> 'verified' and before.verification_status = 'verified' then
    verification.id_verified := false;
  end if;
  return verification;
end $$;

create function private.sync_profile_email(account auth.users) returns void
language plpgsql set search_path = '' as $$
begin
  update private.profiles set email = account.email where id = account.id;
end $$;

create function private.sync_profile_role(person uuid) returns void
language plpgsql set search_path = '' as $$
declare
  held constant public.app_role[] := array(select r.role from public.user_roles r where r.user_id = person
    order by array_position(array['admin', 'task_doer', 'task_giver']::public.app_role[], r.role));
begin
  update private.profiles set role = held[1], roles = held where id = person;
end $$;

create function private.sync_verified_name(profile private.profiles) returns private.profiles
language plpgsql immutable set search_path = '' as $$
begin
  profile.verified_name := case when profile.deleted_at is null then profile.full_name end;
  return profile;
end $$;

create function private.tasks_are_on_hold(giver uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_advisory_xact_lock_shared(private.suspension_lock(giver));
  return exists (select from public.suspensions where user_id = giver and lifted_at is null);
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

create function private.tidy_verification(verification public.verifications) returns public.verifications
language plpgsql immutable set search_path = '' as $$
begin
  verification.legal_name := private.trimmed(verification.legal_name);
  verification.insurance_provider :=
    case when verification.has_insurance then nullif(private.trimmed(verification.insurance_provider), '') end;
  verification.insurance_policy_number :=
    case when verification.has_insurance then nullif(private.trimmed(verification.insurance_policy_number), '') end;
  verification.insurance_expiry_date := case when verification.has_insurance then verification.insurance_expiry_date end;
  verification.skills := private.distinct_words(verification.skills);
  verification.certifications := private.distinct_words(verification.certifications);
  return verification;
end $$;

create or replace function public.finish_account(full_name text, phone text, role text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
  person_name constant text := private.tidy_name(full_name);
  person_phone constant text := nullif(private.trimmed(phone), '');
begin
  perform private.allow(person is not null, 'account.not_authenticated');
  perform private.require_name(person_name);
  perform private.require(coalesce(finish_account.role in ('task_giver', 'task_doer'), false),
    'account.role_invalid', 'role');
  perform private.require(
    person_phone is null or private.is_phone(person_phone), 'profile.phone_invalid', 'phone');
  delete from private.unfinished_accounts where person_id = person;
  perform private.require(found, 'account.already_finished', 'role');

  update public.profiles p set full_name = person_name, phone = person_phone where p.id = person;
  update public.user_roles r set role = finish_account.role::public.app_role
  where r.user_id = person and r.role in ('task_giver', 'task_doer');
end $$;
