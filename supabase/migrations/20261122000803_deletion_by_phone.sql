-- Deleting an account that has no e-mail address: its phone number is typed in the place of it, in any form.

create or replace function public.delete_account(confirmation text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
  obstacle constant text := public.account_deletion_obstacle();
  email text;
  phone text;
begin
  perform private.allow(private.has_fresh_sign_in(), 'Please enter your password again to confirm that it is you.');
  perform private.allow(auth.jwt() ->> 'aal' = 'aal2' or not exists (
    select from auth.mfa_factors where user_id = person and status = 'verified'),
    'Enter the code of your second factor, too.');
  select nullif(u.email, ''), u.phone into email, phone from auth.users u where u.id = person;
  if email is not null then
    perform private.require(lower(private.trimmed(confirmation)) = lower(email),
      'Type your email exactly as it is shown', 'confirmation');
  else
    perform private.require(regexp_replace(confirmation, '[^0-9]', '', 'g') = phone,
      'Type your phone number exactly as it is shown', 'confirmation');
  end if;
  perform private.require(obstacle is null, obstacle, 'id');
  delete from auth.users where id = person;
  perform private.announce_ended_sessions(person);
end $$;
