-- Recovery codes end with the last second factor of their account. Whoever added a factor with a stolen token has made
-- codes, too, and these must not open the account once its owner has a factor of their own.
create function private.drop_recovery_codes() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if not private.has_second_factor(old.user_id) then
    delete from private.recovery_codes where person_id = old.user_id;
  end if;
  return null;
end $$;
revoke execute on function private.drop_recovery_codes() from public;

create trigger drop_recovery_codes after delete on auth.mfa_factors
  for each row when (old.status = 'verified') execute function private.drop_recovery_codes();
