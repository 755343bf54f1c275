-- Verification of taskers: one record for each person, submitted as pending by the person and decided by an admin.
-- verification_decisions.sql applies the decision to the profile.

create type public.verification_status as enum ('pending', 'verified', 'rejected');

create table public.verifications (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null unique references private.profiles (id) on delete cascade,
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
alter table public.verifications enable row level security;

comment on table public.verifications is 'One verification for each tasker, submitted by the person and decided by an admin';
comment on column public.verifications.terms_accepted_at is 'Time of the latest submission';
comment on column public.verifications.privacy_accepted_at is 'Time of the latest submission';
comment on column public.verifications.age_verified is
  'Always true, because younger people are refused; set by the trigger 90_age';
comment on column public.verifications.legal_name is 'As on the ID';
comment on column public.verifications.date_of_birth is 'At least 18 years ago by the marketplace''s calendar';
comment on column public.verifications.id_type is
  'driver_license, passport or health_card; the document is in the bucket identity-documents';
comment on column public.verifications.background_check_consent is 'Whether the person agrees to a background check';
comment on column public.verifications.has_insurance is 'Whether the person declares an insurance';
comment on column public.verifications.insurance_provider is 'Null without insurance';
comment on column public.verifications.insurance_policy_number is 'Null without insurance';
comment on column public.verifications.insurance_expiry_date is
  'Last day of the insurance; null without insurance, or if it does not end';
comment on column public.verifications.skills is 'Added to the skills of the profile by each submission';
comment on column public.verifications.certifications is 'As the person typed them';
comment on column public.verifications.sin_provided is
  'Whether the person declares a social insurance number; the number itself is not stored';
comment on column public.verifications.verification_status is
  'Decision about the submission: '
  'new → pending when the person submits it; '
  'pending | rejected → verified when an admin approves it; '
  'pending → rejected when an admin refuses it; '
  'verified → rejected when an admin withdraws the approval; '
  'rejected → pending when the person submits again; '
  'verified → pending when the person changes their name, or an admin removes the badge';
comment on column public.verifications.id_verified is
  'The admin confirms that the ID shows this person; an approval requires it';
comment on column public.verifications.background_check_status is
  'Result that the admin records: pending, verified or rejected; pending again after each submission';
comment on column public.verifications.refusal_reason is
  'Why it was refused or withdrawn; the person reads it; null unless rejected';
comment on column public.verifications.decided_at is 'Time of the last decision; null while pending';
comment on column public.verifications.decided_by is 'The admin of the last decision; null while pending';
comment on column public.verifications.updated_at is 'Time of the last submission or decision; admins see pending ones by it';

create index verifications_queue on public.verifications (created_at) where verification_status = 'pending';
create index verifications_insured on public.verifications (insurance_expiry_date)
  where has_insurance and insurance_expiry_date is not null;

-- For the back office's list of waiting verifications, which is paged by the last row that was read.
create index verifications_waiting on public.verifications (updated_at, user_id) where verification_status = 'pending';

-- A submission is made by the person, complete and pending; the person is of age by the marketplace's calendar. Another admin
-- decides and changes nothing that the person declared. An approval can be withdrawn with a reason, like a refusal; only the
-- person can submit again. An approval confirms that the ID shows this person, so a document must have been submitted.

-- Lets taskers submit one verification each, as pending.
create function private.check_submission() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(private.has_role('task_doer'), 'verification.only_taskers');
  perform private.require(not exists (select from public.verifications where user_id = new.user_id),
    'verification.already_submitted', 'user_id');
  perform private.allow(new.verification_status = 'pending', 'verification.not_pending');
  return new;
end $$;

create trigger "20_submission" before insert on public.verifications for each row
when (private.is_client())
execute function private.check_submission();

-- Lets a person submit again only after a refusal.
create function private.check_resubmission() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(old.verification_status = 'rejected' or not private.is_admin(),
    'admin.own_case', '{"matter": "on your own verification"}');
  perform private.require(old.verification_status = 'rejected',
    'verification.already_submitted', 'user_id');
  perform private.allow(new.id = old.id and new.created_at = old.created_at, 'verification.identity_fixed');
  return new;
end $$;

create trigger "21_resubmission" before update on public.verifications for each row
when (private.is_client() and new.user_id = auth.uid())
execute function private.check_resubmission();

-- Resets the decision and sets the times of the submission.
create function private.stamp_submission() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.updated_at := now();
  new.verification_status := 'pending';
  new.id_verified := false;
  new.background_check_status := 'pending';
  new.refusal_reason := null;
  new.decided_at := null;
  new.decided_by := null;
  new.terms_accepted_at := now();
  new.privacy_accepted_at := now();
  return new;
end $$;

create trigger "30_submitted" before insert on public.verifications for each row
when (private.is_client())
execute function private.stamp_submission();

create trigger "30_resubmitted" before update on public.verifications for each row
when (private.is_client() and new.user_id = auth.uid())
execute function private.stamp_submission();

create trigger "32_approval" before insert or update on public.verifications for each row
when ((new.verification_status <> 'verified' or new.id_verified) is not true)
execute function private.reject('verification.confirmation_required', 'id_verified');

create trigger "40_terms" before insert or update on public.verifications for each row
when (new.terms_accepted is not true)
execute function private.reject('verification.terms_required', 'terms_accepted');

create trigger "41_privacy" before insert or update on public.verifications for each row
when (new.privacy_accepted is not true)
execute function private.reject('verification.privacy_required', 'privacy_accepted');

-- Trims texts, removes duplicates from lists, and clears insurance details without insurance.
create function private.tidy_verification() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.legal_name := private.trimmed(new.legal_name);
  new.insurance_provider := case when new.has_insurance then nullif(private.trimmed(new.insurance_provider), '') end;
  new.insurance_policy_number := case when new.has_insurance then nullif(private.trimmed(new.insurance_policy_number), '') end;
  new.insurance_expiry_date := case when new.has_insurance then new.insurance_expiry_date end;
  new.skills := private.distinct_words(new.skills);
  new.certifications := private.distinct_words(new.certifications);
  return new;
end $$;

create trigger "42_tidy" before insert or update on public.verifications
for each row execute function private.tidy_verification();

create trigger "43_legal_name_min" before insert or update on public.verifications for each row
when ((private.visible_length(new.legal_name) >= private.rule('limits.name.min')) is not true)
execute function private.reject('verification.legal_name_required', 'legal_name');

create trigger "44_legal_name_max" before insert or update on public.verifications for each row
when (length(new.legal_name) > private.rule('limits.name.max'))
execute function private.reject('verification.legal_name_too_long', 'legal_name');

create trigger "45_birth" before insert or update on public.verifications for each row
when (new.date_of_birth is null)
execute function private.reject('verification.birth_date_required', 'date_of_birth');

create trigger "46_age" before insert or update on public.verifications for each row
when (new.date_of_birth <= date '1900-01-01' or new.date_of_birth
  > (now() at time zone private.time_zone())::date - make_interval(years => private.rule('limits.minimumAge')))
execute function private.reject('verification.too_young', 'date_of_birth');

create trigger "47_background_check" before insert or update on public.verifications for each row
when (new.background_check_consent is null)
execute function private.reject('verification.background_check_invalid', 'background_check_consent');

create trigger "48_insurance" before insert or update on public.verifications for each row
when (new.has_insurance is null)
execute function private.reject('verification.insurance_invalid', 'has_insurance');

create trigger "49_sin" before insert or update on public.verifications for each row
when (new.sin_provided is null)
execute function private.reject('verification.sin_invalid', 'sin_provided');

create trigger "50_id_type" before insert or update on public.verifications for each row
when ((new.id_type in ('driver_license', 'passport', 'health_card')) is not true)
execute function private.reject('verification.id_type_required', 'id_type');

create trigger "51_insurance_details" before insert or update on public.verifications for each row
when (length(new.insurance_provider) > private.rule('limits.insuranceProvider.max')
  or length(new.insurance_policy_number) > private.rule('limits.insurancePolicyNumber.max'))
execute function private.reject('verification.insurance_details_too_long', 'insurance_provider');

create trigger "52_skills" before insert or update on public.verifications for each row
when (greatest(cardinality(new.skills), cardinality(new.certifications)) > private.rule('limits.verificationSkills.count')
  or private.longest(new.skills || new.certifications) > private.rule('limits.verificationSkills.length'))
execute function private.reject('verification.skills_too_many', 'skills');

-- Sets age_verified, because the trigger 46_age refuses younger people.
create function private.note_age() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.age_verified := true;
  return new;
end $$;

create trigger "90_age" before insert or update on public.verifications
for each row execute function private.note_age();

-- Whether that person has submitted a picture or a scan of an ID. A definer, because it bypasses the policies of the bucket.
create function private.has_identity_document(person uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from storage.objects where bucket_id = 'identity-documents' and name like person || '/%')
$$;

-- Whether the declared insurance is still valid, by the marketplace's calendar; without an expiry date it is.
create function private.is_insured(verification public.verifications) returns boolean
language sql stable set search_path = '' as $$
  select verification.has_insurance
    and coalesce(verification.insurance_expiry_date >= (now() at time zone private.time_zone())::date, true)
$$;

-- Whether the caller's verification is pending or approved.
create function private.has_submitted_verification() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.verifications where user_id = (select auth.uid())
    and verification_status in ('pending', 'verified'))
$$;

create trigger within_limit after insert on public.verifications
for each row execute function private.limit_activity('verifications_submitted');

create trigger within_limit_again after update on public.verifications
for each row when (private.is_client() and new.user_id = auth.uid())
execute function private.limit_activity('verifications_submitted');

create policy "people read their own verification, admins all" on public.verifications for select to authenticated
using (user_id = (select auth.uid()) or (select private.is_admin()));

create policy "people submit their own verification" on public.verifications for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "people resubmit their own verification, admins decide all" on public.verifications
for update to authenticated
using (user_id = (select auth.uid()) or (select private.is_admin()))
with check (user_id = (select auth.uid()) or (select private.is_admin()));

grant select, insert (user_id, terms_accepted, terms_accepted_at, privacy_accepted, privacy_accepted_at, age_verified, legal_name, date_of_birth, id_type, background_check_consent, has_insurance, insurance_provider, insurance_policy_number, insurance_expiry_date, skills, certifications, sin_provided, verification_status), update (terms_accepted, terms_accepted_at, privacy_accepted, privacy_accepted_at, age_verified, legal_name, date_of_birth, id_type, background_check_consent, has_insurance, insurance_provider, insurance_policy_number, insurance_expiry_date, skills, certifications, sin_provided, verification_status, id_verified, background_check_status, refusal_reason) on public.verifications to authenticated;
grant execute on function
  private.has_identity_document(uuid), private.has_submitted_verification()
to authenticated, service_role;
