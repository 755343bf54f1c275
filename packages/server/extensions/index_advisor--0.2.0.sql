-- Migrations that only create index_advisor apply. The dashboard asks it, no project does.
do $$ begin
  raise warning 'index_advisor is present in name only: nothing is advised';
end $$;
