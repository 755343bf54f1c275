-- Older dumps create pgsodium because the vault used it. The vault here needs none of it: only its schema is made, by the
-- control file.
do $$ begin
  raise warning 'pgsodium is present in name only: its functions are not here';
end $$;
