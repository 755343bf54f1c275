-- Migrations that only create pgaudit apply. Its settings are accepted and have no effect.
do $$ begin
  raise warning 'pgaudit is present in name only: its settings have no effect, and nothing is audited';
end $$;
