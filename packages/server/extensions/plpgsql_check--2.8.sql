-- Migrations that only create plpgsql_check apply. A linter calls it, no project does.
do $$ begin
  raise warning 'plpgsql_check is present in name only: no function is checked';
end $$;
