-- Verification of taskers: one record each, submitted as pending by the person, decided by an admin. What an approval
-- shows on the person is the next part of this file, what a change of name does to it the last.

create type public.verification_status as enum ('pending', 'verified', 'rejected');

create table public.verifications (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null unique references public.profiles (id) on delete cascade,
  terms_accepted boolean not null default false,
  terms_accepted_at timestamptz,
  privacy_accepted boolean not null default false,
  privacy_accepted_at timestamptz,
  age_verified boolean not null default false,
  legal_name text not null,
  date_of_birth date not null,
  id_type text not null,
  background_check_consent boolean not null default false,
  has_insurance boolean not null default false,
  insurance_provider text,
  insurance_policy_number text,
  insurance_expiry_date date,
  skills text[] not null default '{}',
  certifications text[] not null default '{}',
  sin_provided boolean not null default false,
  verification_status public.verification_status not null default 'pending',
  id_verified boolean not null default false,
  background_check_status text not null default 'pending'
    check (background_check_status in ('pending', 'verified', 'rejected')),
  refusal_reason text,
  decided_at timestamptz,
  decided_by uuid, -- no foreign key: it would make embedding a person's verification ambiguous
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index verifications_queue on public.verifications (created_at) where verification_status = 'pending';

-- A submission is the person's own, complete, of age by Saskatchewan's calendar, and pending.
-- A decision is another admin's and touches nothing that the person declared. One that approved can be taken back, with a
-- reason, as one that refuses; only the person hands in again.
-- An approval says that the ID shows this person, so there must be one that was handed in.
create function private.guard_verification() returns trigger
language plpgsql set search_path = '' as $$
declare
  decision_columns constant text[] := array['verification_status', 'id_verified', 'background_check_status',
    'refusal_reason', 'decided_at', 'decided_by', 'updated_at'];
  submits boolean := true;
begin
  if private.is_client() then
    new.updated_at := now();
    if tg_op = 'UPDATE' and new.user_id is distinct from auth.uid() then
      perform private.allow(private.is_admin(), 'Only admins can decide verifications');
      perform private.allow(to_jsonb(new) - decision_columns = to_jsonb(old) - decision_columns,
        'Only the person can change what they declared');
      submits := false;
    elsif tg_op = 'UPDATE' then
      perform private.allow(old.verification_status = 'rejected' or not private.is_admin(),
        'Another admin decides on your own verification');
      perform private.require(old.verification_status = 'rejected',
        'You have already submitted your verification.', 'user_id');
      perform private.allow(new.id = old.id and new.created_at = old.created_at, 'A record keeps its identity');
    else
      perform private.allow(private.has_role('task_doer'), 'Only task doers can be verified');
      perform private.require(not exists (select from public.verifications where user_id = new.user_id),
        'You have already submitted your verification.', 'user_id');
    end if;
    if submits then
      perform private.allow(new.verification_status = 'pending' or tg_op = 'UPDATE',
        'A verification is submitted as pending');
      new.verification_status := 'pending';
      new.id_verified := false;
      new.background_check_status := 'pending';
      new.refusal_reason := null;
      new.decided_at := null;
      new.decided_by := null;
      new.terms_accepted_at := now();
      new.privacy_accepted_at := now();
    elsif new.verification_status is distinct from old.verification_status then
      perform private.require(new.verification_status <> 'pending', 'Only the person can hand in again', 'verification_status');
      new.refusal_reason := nullif(private.trimmed(new.refusal_reason), '');
      perform private.require(coalesce(length(new.refusal_reason), 0) <= 2000, 'Reason too long', 'refusal_reason');
      perform private.require(new.verification_status <> 'rejected' or new.refusal_reason is not null,
        'A refusal needs a reason', 'refusal_reason');
      perform private.require(new.verification_status <> 'verified' or private.has_identity_document(new.user_id),
        'An approval needs a picture of the ID, and none was handed in', 'verification_status');
      if new.verification_status <> 'rejected' then
        new.refusal_reason := null;
      end if;
      new.decided_at := now();
      new.decided_by := auth.uid();
    end if;
  end if;

  perform private.require(new.verification_status <> 'verified' or new.id_verified,
    'An approval needs your word that the ID shows this person', 'id_verified');
  if tg_op = 'UPDATE' and new.verification_status <> 'verified' and old.verification_status = 'verified' then
    new.id_verified := false;
  end if;

  if submits then
    perform private.require(new.terms_accepted, 'Terms must be accepted', 'terms_accepted');
    perform private.require(new.privacy_accepted, 'Privacy policy must be accepted', 'privacy_accepted');
    new.legal_name := private.trimmed(new.legal_name);
    perform private.require(private.visible_length(new.legal_name) >= 2, 'Full legal name is required', 'legal_name');
    perform private.require(length(new.legal_name) <= 100, 'Name too long', 'legal_name');
    perform private.require(new.date_of_birth is not null, 'Date of birth is required', 'date_of_birth');
    perform private.require(new.date_of_birth > date '1900-01-01'
      and new.date_of_birth <= (now() at time zone 'America/Regina')::date - interval '18 years',
      'You must be at least 18 years old', 'date_of_birth');
    new.age_verified := true;
    perform private.require(new.background_check_consent is not null, 'Background check consent must be true or false',
      'background_check_consent');
    perform private.require(new.has_insurance is not null, 'Insurance must be true or false', 'has_insurance');
    perform private.require(new.sin_provided is not null, 'SIN provided must be true or false', 'sin_provided');
    perform private.require(new.id_type in ('driver_license', 'passport', 'health_card'),
      'ID type is required', 'id_type');
    new.insurance_provider := nullif(private.trimmed(new.insurance_provider), '');
    new.insurance_policy_number := nullif(private.trimmed(new.insurance_policy_number), '');
    if not new.has_insurance then
      new.insurance_provider := null;
      new.insurance_policy_number := null;
      new.insurance_expiry_date := null;
    end if;
    perform private.require(coalesce(length(new.insurance_provider), 0) <= 200
      and coalesce(length(new.insurance_policy_number), 0) <= 100, 'Insurance details too long', 'insurance_provider');
    new.skills := private.distinct_words(new.skills);
    new.certifications := private.distinct_words(new.certifications);
    perform private.require(cardinality(new.skills) <= 50 and cardinality(new.certifications) <= 50
      and coalesce((select max(length(w)) from unnest(new.skills || new.certifications) w), 0) <= 100,
      'Too many skills or certifications, or one is too long', 'skills');
  end if;
  return new;
end $$;

-- Whether that person has handed in a picture or a scan of an ID. A definer: it looks past the policies of the bucket.
create function private.has_identity_document(person uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from storage.objects where bucket_id = 'identity-documents' and name like person || '/%')
$$;
grant execute on function private.has_identity_document(uuid) to authenticated, service_role;

create trigger guard_verification before insert or update on public.verifications
for each row execute function private.guard_verification();

-- Whether the insurance that was declared still runs, by Saskatchewan's calendar; without a date it does.
create function private.is_insured(verification public.verifications) returns boolean
language sql stable set search_path = '' as $$
  select verification.has_insurance
    and coalesce(verification.insurance_expiry_date >= (now() at time zone 'America/Regina')::date, true)
$$;

create index verifications_insured on public.verifications (insurance_expiry_date)
  where has_insurance and insurance_expiry_date is not null;

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
    perform private.wake_clock(((new.insurance_expiry_date + 1)::timestamp at time zone 'America/Regina'));
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

-- Whether the caller's verification is being looked at, or was approved.
create function private.has_submitted_verification() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.verifications where user_id = (select auth.uid())
    and verification_status in ('pending', 'verified'))
$$;
grant execute on function private.has_submitted_verification() to authenticated, service_role;

alter table public.verifications enable row level security;
revoke all on public.verifications from anon, authenticated;
grant select on public.verifications to authenticated;
grant insert (user_id, terms_accepted, terms_accepted_at, privacy_accepted, privacy_accepted_at, age_verified,
  legal_name, date_of_birth, id_type, background_check_consent, has_insurance, insurance_provider,
  insurance_policy_number, insurance_expiry_date, skills, certifications, sin_provided, verification_status)
  on public.verifications to authenticated;
grant update (terms_accepted, terms_accepted_at, privacy_accepted, privacy_accepted_at, age_verified,
  legal_name, date_of_birth, id_type, background_check_consent, has_insurance, insurance_provider,
  insurance_policy_number, insurance_expiry_date, skills, certifications, sin_provided, verification_status,
  id_verified, background_check_status, refusal_reason) on public.verifications to authenticated;

create policy "people read their own verification, admins all" on public.verifications for select to authenticated
using (user_id = (select auth.uid()) or (select private.is_admin()));
create policy "people submit their own verification" on public.verifications for insert to authenticated
with check (user_id = (select auth.uid()));
create policy "people resubmit their own verification, admins decide all" on public.verifications
for update to authenticated
using (user_id = (select auth.uid()) or (select private.is_admin()))
with check (user_id = (select auth.uid()) or (select private.is_admin()));
