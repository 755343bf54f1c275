-- The language that somebody reads, known to the e-mails of sign-in too: those look into the account's metadata
-- (supabase/templates), the app writes profiles.language. A new profile takes it from the sign-up; a change of the profile is
-- carried into the metadata.

create function private.take_language_of_account() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  chosen constant text := (select u.raw_user_meta_data ->> 'language' from auth.users u where u.id = new.id);
begin
  if chosen = any (private.languages()) then
    new.language := chosen;
  end if;
  return new;
end $$;

create trigger "10_language" before insert on private.profiles for each row
execute function private.take_language_of_account();

create function private.carry_language_to_account() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update auth.users u
  set raw_user_meta_data = coalesce(u.raw_user_meta_data, '{}') || jsonb_build_object('language', new.language)
  where u.id = new.id and u.raw_user_meta_data ->> 'language' is distinct from new.language;
  return null;
end $$;

create trigger "80_language_to_account" after update of language on private.profiles for each row
when (new.language is distinct from old.language)
execute function private.carry_language_to_account();

revoke all on function private.take_language_of_account(), private.carry_language_to_account() from public;

-- Whoever signed up in another language before reads it from now on.
update private.profiles p set language = u.raw_user_meta_data ->> 'language'
from auth.users u
where u.id = p.id and p.language = 'en' and u.raw_user_meta_data ->> 'language' <> 'en'
  and u.raw_user_meta_data ->> 'language' = any (private.languages());
