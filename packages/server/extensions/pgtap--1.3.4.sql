-- Migrations that only create pgtap apply. Its functions are called by the files of supabase/tests alone.
do $$ begin
  raise warning 'pgtap is present in name only: tests in SQL cannot be run here';
end $$;
