-- Marks the notice of a submitted verification as read once the verification is decided.
set check_function_bodies = off;

create or replace function private.notify_verification(verification public.verifications, before public.verifications) returns void
language plpgsql set search_path = '' as $$
declare
  person constant uuid := verification.user_id;
begin
  if verification.verification_status = 'pending' and coalesce(before.verification_status not in ('pending', 'verified'), true) then
    perform private.notify_person(person, 'verification_submitted', '{}', '/dashboard');
    perform private.notify_admins('verification_waiting', jsonb_build_object('person', private.full_name(person)),
      '/admin/verify-users?tab=waiting');
  elsif before.verification_status <> verification.verification_status then
    update public.notifications set read = true where user_id = person and not read and key = 'verification_submitted';
    if verification.verification_status = 'verified' then
      perform private.notify_person(person, 'verification_approved', '{}', '/dashboard');
    elsif private.is_withdrawn(verification, before) then
      perform private.notify_person(person, 'verification_withdrawn',
        jsonb_build_object('reason', verification.refusal_reason), '/verification');
    elsif verification.verification_status = 'rejected' then
      perform private.notify_person(person, 'verification_refused',
        jsonb_build_object('reason', verification.refusal_reason), '/verification');
    end if;
  end if;
end $$;
