-- Migrations that only mention pg_graphql apply; callers get an error. The interface is that of pg_graphql.
do $$ begin
  raise warning 'pg_graphql is present in name only: GraphQL is not answered here';
end $$;

do $$ begin
  if to_regnamespace('graphql') is null then create schema graphql; end if;
end $$;

create function graphql.resolve(
  query text,
  variables jsonb default '{}',
  "operationName" text default null,
  extensions jsonb default null
) returns jsonb language plpgsql as $$
begin
  raise exception 'GraphQL is not answered here: pg_graphql is present in name only'
    using errcode = '0A000', hint = 'Set DATABASE_URL to a PostgreSQL that has pg_graphql.';
end
$$;
