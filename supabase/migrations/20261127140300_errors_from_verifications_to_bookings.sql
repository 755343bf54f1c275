-- Codes of errors, 4: the rules of verifications to bookings.
set check_function_bodies = off;

create or replace function private.check_submission() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(private.has_role('task_doer'), 'verification.only_taskers');
  perform private.require(not exists (select from public.verifications where user_id = new.user_id),
    'verification.already_submitted', 'user_id');
  perform private.allow(new.verification_status = 'pending', 'verification.not_pending');
  return new;
end $$;

drop trigger "32_approval" on public.verifications;
create trigger "32_approval" before insert or update on public.verifications for each row
when ((new.verification_status <> 'verified' or new.id_verified) is not true)
execute function private.reject('verification.confirmation_required', 'id_verified');

drop trigger "40_terms" on public.verifications;
create trigger "40_terms" before insert or update on public.verifications for each row
when (new.terms_accepted is not true)
execute function private.reject('verification.terms_required', 'terms_accepted');

drop trigger "41_privacy" on public.verifications;
create trigger "41_privacy" before insert or update on public.verifications for each row
when (new.privacy_accepted is not true)
execute function private.reject('verification.privacy_required', 'privacy_accepted');

drop trigger "43_legal_name_min" on public.verifications;
create trigger "43_legal_name_min" before insert or update on public.verifications for each row
when ((private.visible_length(new.legal_name) >= private.rule('limits.name.min')) is not true)
execute function private.reject('verification.legal_name_required', 'legal_name');

drop trigger "44_legal_name_max" on public.verifications;
create trigger "44_legal_name_max" before insert or update on public.verifications for each row
when (length(new.legal_name) > private.rule('limits.name.max'))
execute function private.reject('verification.legal_name_too_long', 'legal_name');

drop trigger "45_birth" on public.verifications;
create trigger "45_birth" before insert or update on public.verifications for each row
when (new.date_of_birth is null)
execute function private.reject('verification.birth_date_required', 'date_of_birth');

drop trigger "46_age" on public.verifications;
create trigger "46_age" before insert or update on public.verifications for each row
when (new.date_of_birth <= date '1900-01-01' or new.date_of_birth
  > (now() at time zone 'America/Regina')::date - make_interval(years => private.rule('limits.minimumAge')))
execute function private.reject('verification.too_young', 'date_of_birth');

drop trigger "47_background_check" on public.verifications;
create trigger "47_background_check" before insert or update on public.verifications for each row
when (new.background_check_consent is null)
execute function private.reject('verification.background_check_invalid', 'background_check_consent');

drop trigger "48_insurance" on public.verifications;
create trigger "48_insurance" before insert or update on public.verifications for each row
when (new.has_insurance is null)
execute function private.reject('verification.insurance_invalid', 'has_insurance');

drop trigger "49_sin" on public.verifications;
create trigger "49_sin" before insert or update on public.verifications for each row
when (new.sin_provided is null)
execute function private.reject('verification.sin_invalid', 'sin_provided');

drop trigger "50_id_type" on public.verifications;
create trigger "50_id_type" before insert or update on public.verifications for each row
when ((new.id_type in ('driver_license', 'passport', 'health_card')) is not true)
execute function private.reject('verification.id_type_required', 'id_type');

drop trigger "51_insurance_details" on public.verifications;
create trigger "51_insurance_details" before insert or update on public.verifications for each row
when (length(new.insurance_provider) > private.rule('limits.insuranceProvider.max')
  or length(new.insurance_policy_number) > private.rule('limits.insurancePolicyNumber.max'))
execute function private.reject('verification.insurance_details_too_long', 'insurance_provider');

drop trigger "52_skills" on public.verifications;
create trigger "52_skills" before insert or update on public.verifications for each row
when (greatest(cardinality(new.skills), cardinality(new.certifications)) > private.rule('limits.verificationSkills.count')
  or private.longest(new.skills || new.certifications) > private.rule('limits.verificationSkills.length'))
execute function private.reject('verification.skills_too_many', 'skills');

create or replace function private.check_verification_admin() returns trigger
language plpgsql set search_path = '' as $$
declare
  decision_columns constant text[] := array['verification_status', 'id_verified', 'background_check_status',
    'refusal_reason', 'decided_at', 'decided_by', 'updated_at'];
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "decide verifications"}');
  perform private.allow(to_jsonb(new) - decision_columns = to_jsonb(old) - decision_columns,
    'verification.not_own');
  return new;
end $$;

create or replace function private.check_verification_decision() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(new.verification_status <> 'pending', 'verification.resubmission_not_own', 'verification_status');
  new.refusal_reason := nullif(private.trimmed(new.refusal_reason), '');
  perform private.require(coalesce(length(new.refusal_reason), 0) <= private.rule('limits.decisionReason.max'),
    'verification.reason_too_long', 'refusal_reason');
  perform private.require(new.verification_status <> 'rejected' or new.refusal_reason is not null,
    'verification.reason_required', 'refusal_reason');
  perform private.require(new.verification_status <> 'verified' or private.has_identity_document(new.user_id),
    'verification.id_missing', 'verification_status');
  if new.verification_status <> 'rejected' then
    new.refusal_reason := null;
  end if;
  new.decided_at := now();
  new.decided_by := auth.uid();
  return new;
end $$;

create or replace function private.review_again(person uuid) returns boolean
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

create or replace function private.check_task_address() returns trigger language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(new.address) >= private.rule('limits.address.min')) is not true then
    perform private.fail('task.address_too_short', 'address');
  end if;
  if length(new.address) > private.rule('limits.address.max') then
    perform private.fail('task.address_too_long', 'address');
  end if;
  return new;
end $$;

create or replace function private.check_task_category() returns trigger language plpgsql set search_path = '' as $$
begin
  if (new.category = any (private.categories())) is not true then
    perform private.fail('task.category_required', 'category');
  end if;
  return new;
end $$;

create or replace function private.check_task_description() returns trigger language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(new.description) >= private.rule('limits.description.min')) is not true then
    perform private.fail('task.description_too_short', 'description');
  end if;
  if length(new.description) > private.rule('limits.description.max') then
    perform private.fail('task.description_too_long', 'description');
  end if;
  return new;
end $$;

create or replace function private.check_task_duration() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.duration_minutes < private.rule('limits.durationMinutes.min')
    or new.duration_minutes > private.rule('limits.durationMinutes.max')
  then
    perform private.fail('task.duration_out_of_range', 'duration_minutes');
  end if;
  return new;
end $$;

create or replace function private.check_task_is_free() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client()
    and to_jsonb(new) - '{status,updated_at}'::text[] <> to_jsonb(old) - '{status,updated_at}'::text[]
    and (old.status in ('open', 'asked') and new.status = old.status) is not true
  then
    perform private.fail(case old.status when 'assigned' then 'task.assigned' when 'completed' then 'task.completed'
      when 'cancelled' then 'task.closed' else 'task.changed_and_closed' end, 'status');
  end if;
  return new;
end $$;

create or replace function private.check_task_location() returns trigger language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(new.location) >= private.rule('limits.location.min')) is not true then
    perform private.fail('task.location_too_short', 'location');
  end if;
  if length(new.location) > private.rule('limits.location.max') then
    perform private.fail('task.location_too_long', 'location');
  end if;
  return new;
end $$;

create or replace function private.check_task_pay() returns trigger language plpgsql set search_path = '' as $$
begin
  if (new.pay_amount > 0) is not true then
    perform private.fail('task.pay_not_positive', 'pay_amount');
  end if;
  if new.pay_amount < private.rule('limits.payAmount.min') then
    perform private.fail('task.pay_too_low', 'pay_amount', jsonb_build_object('min', private.rule('limits.payAmount.min')));
  end if;
  if new.pay_amount > private.rule('limits.payAmount.max') then
    perform private.fail('task.pay_too_high', 'pay_amount');
  end if;
  -- A sum of JavaScript's may be off by a hair.
  if abs(new.pay_amount - round(new.pay_amount, 2)) >= 0.000001 then
    perform private.fail('task.pay_too_precise', 'pay_amount');
  end if;
  return new;
end $$;

create or replace function private.check_task_poster() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    if (new.task_giver_id = auth.uid()) is not true then
      perform private.fail('task.not_own', null, '{}', '42501');
    end if;
    if (private.has_role('task_giver') or private.is_admin()) is not true then
      perform private.fail('task.only_givers', null, '{}', '42501');
    end if;
    if (new.status = 'open') is not true then
      perform private.fail('task.status_invalid', 'status');
    end if;
  end if;
  return new;
end $$;

create or replace function private.check_task_schedule() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.scheduled_date <= '2000-01-01' or new.scheduled_date >= '2100-01-01' then
    perform private.fail('task.date_invalid', 'scheduled_date');
  end if;
  -- Clocks may differ a little; a date that passed meanwhile does not stand in the way of another change.
  if private.is_client() and new.scheduled_date <= now() - interval '5 minutes'
    and (tg_op = 'INSERT' or new.scheduled_date is distinct from old.scheduled_date)
  then
    perform private.fail('task.date_past', 'scheduled_date');
  end if;
  return new;
end $$;

create or replace function private.check_task_step() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.status is distinct from old.status then
    if ((old.status = 'open' and new.status = 'cancelled')
      or (old.status = 'asked' and new.status in ('open', 'cancelled'))
      or (old.status = 'assigned' and new.status = 'completed' and private.task_is_released(old.id))) is not true
    then
      perform private.fail('task.status_change_invalid', 'status', jsonb_build_object('from', old.status, 'to', new.status));
    end if;
    if new.status = 'cancelled' and not private.reserve_decision(old.id) then
      perform private.fail('task.being_decided', 'status');
    end if;
  end if;
  return new;
end $$;

create or replace function private.check_task_title() returns trigger language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(new.title) >= private.rule('limits.title.min')) is not true then
    perform private.fail('task.title_too_short', 'title');
  end if;
  if length(new.title) > private.rule('limits.title.max') then
    perform private.fail('task.title_too_long', 'title');
  end if;
  if tg_op = 'INSERT' or new.title <> old.title then
    if private.has_hidden_characters(new.title) then
      perform private.fail('task.title_hidden_characters', 'title');
    end if;
    if private.has_address(new.title) then
      perform private.fail('task.title_address', 'title');
    end if;
    if private.speaks_officially(new.title, false) then
      perform private.fail('task.title_official', 'title');
    end if;
  end if;
  return new;
end $$;

create or replace function private.check_task_tools() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.tools_provided is null then
    perform private.fail('task.tools_invalid', 'tools_provided');
  end if;
  if length(new.tools_description) > private.rule('limits.toolsDescription.max') then
    perform private.fail('task.tools_description_too_long', 'tools_description');
  end if;
  return new;
end $$;

create or replace function private.check_application() returns trigger
language plpgsql set search_path = '' as $$
declare
  task constant public.tasks := private.lock_task(new.task_id);
begin
  -- To everybody else a task that one tasker is asked to do is not there.
  perform private.require(task.id is not null
    and (task.status <> 'asked' or new.task_doer_id in (task.asked_tasker_id, task.task_giver_id)), 'task.not_found', 'task_id');
  perform private.allow(task.task_giver_id <> new.task_doer_id, 'booking.own_task');
  perform private.require(not private.has_other_application(new.task_id, new.task_doer_id),
    'booking.already_applied', 'task_id');
  perform private.require(task.status in ('open', 'asked'), 'task.not_open', 'task_id');
  -- A client may say which price its person saw; one that says nothing applies for the price as it stands.
  perform private.require(coalesce(new.agreed_amount, 'NaN') in ('NaN', task.pay_amount),
    'booking.price_changed', 'agreed_amount', jsonb_build_object('price', round(task.pay_amount, 2)));
  new.task_giver_id := task.task_giver_id;
  new.agreed_amount := task.pay_amount;
  return new;
end $$;

drop trigger "11_message" on public.bookings;
create trigger "11_message" before insert on public.bookings for each row
when (length(new.message) > private.rule('limits.applicationMessage.max'))
execute function private.reject('booking.message_too_long', 'message');

drop trigger "20_own" on public.bookings;
create trigger "20_own" before insert on public.bookings for each row
when (private.is_client() and (new.task_doer_id = auth.uid()) is not true)
execute function private.forbid('booking.not_own');

drop trigger "21_doers" on public.bookings;
create trigger "21_doers" before insert on public.bookings for each row
when (private.is_client() and not private.has_role('task_doer'))
execute function private.forbid('booking.only_taskers');
