-- What goes with the second factors that an operator takes away (npm run admin -- EMAIL --remove-factors): recovery codes,
-- which somebody else may have found, and that the person hears of it.
insert into private.notification_texts (key, kind, subject, button, title, message) values
  ('factors_removed', 'account', 'Two-step verification was turned off for your account', 'Check your security settings',
    'Two-step verification is off',
    'We took the second factors of your account away and signed you out everywhere. If you did not ask us to, change your password at once and write to us.');

create function private.factors_removed(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.recovery_codes where person_id = person;
  delete from private.recovery_attempts where person_id = person;
  perform private.announce_ended_sessions(person);
  perform private.notify_person(person, 'factors_removed', '{}', '/profile?tab=security');
end $$;

revoke execute on function private.factors_removed(uuid) from public;
