-- Taskers are counted as far as 500, as tasks are as far as 100: so many are found in the same time however many there are.
create or replace function public.count_taskers(
  query text default '', city text default null, category text default null, max_rate numeric default null,
  availability text default null
) returns integer language sql stable security definer set search_path = '' as $$
  select cardinality(private.found_taskers(coalesce(query, ''), 500, city, category, max_rate, availability))
$$;
