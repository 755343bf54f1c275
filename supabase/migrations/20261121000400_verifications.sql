-- Verification of taskers: one record each, submitted as pending by the person, decided by an admin.

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
      if new.verification_status <> 'rejected' then
        new.refusal_reason := null;
      end if;
      new.decided_at := now();
      new.decided_by := auth.uid();
    end if;
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

-- What a decision shows on the person, and the notice of it. Who is no longer verified carries no badge either.
create function private.apply_verification() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  person uuid := coalesce(new.user_id, old.user_id);
begin
  update public.profiles set
    is_verified = coalesce(new.verification_status = 'verified', false),
    id_verified = coalesce(new.verification_status = 'verified' and new.id_verified, false),
    background_checked = coalesce(
      new.verification_status = 'verified' and new.background_check_status = 'verified', false),
    insured = coalesce(new.verification_status = 'verified' and private.is_insured(new), false)
  where id = person;
  if tg_op = 'UPDATE' and old.verification_status = 'verified' and new.verification_status = 'rejected' then
    update public.profiles set verified_by_admin = false, verified_at = null, verified_by = null
    where id = person and verified_by_admin;
  end if;
  if tg_op <> 'DELETE' and new.has_insurance then
    perform private.wake_clock(((new.insurance_expiry_date + 1)::timestamp at time zone 'America/Regina'));
  end if;
  if tg_op = 'UPDATE' and new.verification_status is distinct from old.verification_status then
    if new.verification_status = 'verified' then
      perform private.notify_person(person, 'verification_approved', '{}', '/dashboard');
    elsif new.verification_status = 'rejected' and old.verification_status = 'verified' then
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

-- Who is verified by an admin without a record of their own being approved hears of it, too.
create function private.tell_of_admin_verification() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.notify_person(new.id, 'verification_approved', '{}', '/dashboard');
  return null;
end $$;

create trigger tell_of_admin_verification after update of verified_by_admin on public.profiles
for each row when (new.verified_by_admin and not old.verified_by_admin and not new.is_verified)
execute function private.tell_of_admin_verification();

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
