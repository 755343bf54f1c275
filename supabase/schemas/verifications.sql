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
  'Always true, because younger people are refused';
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

-- Before a verification is submitted, submitted again, decided, or changed by the database.
create function private.before_verification_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() and tg_op = 'INSERT' then
    perform private.check_submission(new);
    new := private.stamp_submission(new);
  elsif private.is_client() and new.user_id = auth.uid() then
    perform private.check_resubmission(new, old);
    new := private.stamp_submission(new);
  elsif private.is_client() and new.user_id is distinct from auth.uid() then
    perform private.check_verification_admin(new, old);
    if new.verification_status is distinct from old.verification_status then
      new := private.check_verification_decision(new);
    end if;
  end if;
  perform private.require(new.verification_status <> 'verified' or new.id_verified,
    'verification.confirmation_required', 'id_verified');
  if tg_op = 'UPDATE' then
    new := private.stamp_verification(new, old);
  end if;
  perform private.require(new.terms_accepted, 'verification.terms_required', 'terms_accepted');
  perform private.require(new.privacy_accepted, 'verification.privacy_required', 'privacy_accepted');
  new := private.tidy_verification(new);
  perform private.require(private.visible_length(new.legal_name) >= private.rule('limits.name.min'),
    'verification.legal_name_required', 'legal_name');
  perform private.require(length(new.legal_name) <= private.rule('limits.name.max'),
    'verification.legal_name_too_long', 'legal_name');
  perform private.require(new.date_of_birth is not null, 'verification.birth_date_required', 'date_of_birth');
  perform private.require(private.is_of_age(new.date_of_birth), 'verification.too_young', 'date_of_birth');
  perform private.require(new.background_check_consent is not null,
    'verification.background_check_invalid', 'background_check_consent');
  perform private.require(new.has_insurance is not null, 'verification.insurance_invalid', 'has_insurance');
  perform private.require(new.sin_provided is not null, 'verification.sin_invalid', 'sin_provided');
  perform private.require(new.id_type in ('driver_license', 'passport', 'health_card'),
    'verification.id_type_required', 'id_type');
  perform private.require(coalesce(length(new.insurance_provider), 0) <= private.rule('limits.insuranceProvider.max')
    and coalesce(length(new.insurance_policy_number), 0) <= private.rule('limits.insurancePolicyNumber.max'),
    'verification.insurance_details_too_long', 'insurance_provider');
  perform private.require(
    coalesce(greatest(cardinality(new.skills), cardinality(new.certifications)), 0) <= private.rule('limits.verificationSkills.count')
    and coalesce(private.longest_word(new.skills || new.certifications), 0) <= private.rule('limits.verificationSkills.length'),
    'verification.skills_too_many', 'skills');
  new := private.confirm_age(new);
  return new;
end $$;

create trigger before_verification_change before insert or update on public.verifications
for each row execute function private.before_verification_change();

-- After a verification is submitted, decided, changed or deleted.
create function private.after_verification_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_verification(new, old);
  perform private.apply_verification(new, old);
  if new.has_insurance then
    perform private.schedule_insurance_end(new);
  end if;
  perform private.notify_verification(new, old);
  if new.verification_status = 'pending' and (tg_op = 'INSERT' or old.verification_status = 'rejected')
    and cardinality(new.skills) > 0
  then
    perform private.copy_skills_to_profile(new);
  end if;
  return null;
end $$;

create trigger after_verification_change after insert or update or delete on public.verifications
for each row execute function private.after_verification_change();

-- Lets taskers submit one verification each, as pending.
create function private.check_submission(verification public.verifications) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.allow(private.has_role('task_doer'), 'verification.only_taskers');
  perform private.require(not exists (select from public.verifications where user_id = verification.user_id),
    'verification.already_submitted', 'user_id');
  perform private.allow(verification.verification_status = 'pending', 'verification.not_pending');
end $$;

-- Lets a person submit again only after a refusal.
create function private.check_resubmission(verification public.verifications, before public.verifications) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.allow(before.verification_status = 'rejected' or not private.is_admin(),
    'admin.own_case', '{"matter": "on your own verification"}');
  perform private.require(before.verification_status = 'rejected',
    'verification.already_submitted', 'user_id');
  perform private.allow(verification.id = before.id and verification.created_at = before.created_at,
    'verification.identity_fixed');
end $$;

-- Resets the decision and sets the times of the submission.
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

-- Trims texts, removes duplicates from lists, and clears insurance details without insurance.
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

-- Whether somebody born on this day is of age today, by the marketplace's calendar. Days before 1900 count as mistakes.
create function private.is_of_age(born date) returns boolean
language sql stable set search_path = '' as $$
  select born > date '1900-01-01'
    and born <= (now() at time zone private.time_zone())::date - make_interval(years => private.rule('limits.minimumAge'))
$$;

-- Sets age_verified: younger people are refused above.
create function private.confirm_age(verification public.verifications) returns public.verifications
language plpgsql immutable set search_path = '' as $$
begin
  verification.age_verified := true;
  return verification;
end $$;

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

-- Counts a submission towards the limits of the person. An own trigger, because after_verification_change runs as its owner and
-- cannot see whether a client makes the change.
create function private.limit_submissions() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.user_id = auth.uid() then
    perform private.limit_client('verifications_submitted');
  end if;
  return null;
end $$;

create trigger within_limit after insert or update on public.verifications
for each row execute function private.limit_submissions();

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
  private.check_submission(public.verifications), private.check_resubmission(public.verifications, public.verifications),
  private.stamp_submission(public.verifications), private.tidy_verification(public.verifications), private.is_of_age(date),
  private.confirm_age(public.verifications), private.has_identity_document(uuid), private.has_submitted_verification()
to authenticated, service_role;
