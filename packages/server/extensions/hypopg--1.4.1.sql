-- Migrations that only create hypopg apply. Whoever tries an index out does so elsewhere.
do $$ begin
  raise warning 'hypopg is present in name only: hypothetical indexes are not here';
end $$;
