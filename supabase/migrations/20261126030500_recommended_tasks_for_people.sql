-- Other applications read no tasks (applications.sql); this function runs as its owner and gave them some all the same.
do $$
begin
  execute replace(pg_get_functiondef('public.recommended_tasks(text, text, integer)'::regprocedure),
    'select * into me from public.profiles', E'perform private.refuse_application();\n  select * into me from public.profiles');
end $$;
