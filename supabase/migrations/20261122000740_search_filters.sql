-- Discovery of tasks narrowed further: the kinds that people look for by other names, dates, and how many there are. As in
-- 20261121001700_discovery.sql each answer is a bounded number of index reads, whatever the size of the tables.

-- The kinds on the categories page. A task is of a kind when its category is one of `categories`, or when one of `words`
-- stands in its text. `category` is what a new task of that kind is posted under. The twin of shared/taskKinds.ts.
create function private.task_kinds() returns table (name text, category text, categories text[], words text[])
language sql immutable set search_path = '' as $$
  values
    ('Snow Removal', 'Snow Removal', array['Snow Removal'], '{}'::text[]),
    ('Cleaning', 'Cleaning', array['Cleaning'], '{}'::text[]),
    ('Moving & Delivery', 'Moving', array['Moving', 'Delivery'], '{}'::text[]),
    ('Assembly', 'Handyman', '{}'::text[], array['assembl', 'flat pack', 'flat-pack', 'ikea', 'put together']),
    ('Mounting & Installation', 'Handyman', '{}'::text[], array['mounting', 'mount the', 'mount a', 'wall mount', 'install', 'hang the', 'hang a']),
    ('Outdoor Help', 'Gardening', array['Gardening'], array['yard', 'lawn', 'gutter', 'firewood', 'hedge']),
    ('Home Repairs', 'Handyman', array['Handyman'], array['repair', 'drywall']),
    ('Painting', 'Handyman', '{}'::text[], array['paint']),
    ('Pet Care', 'Pet Care', array['Pet Care'], '{}'::text[]),
    ('Auto Services', 'Other', '{}'::text[], array['winter tire', 'oil change', 'car wash', 'block heater', 'windshield', 'vehicle']),
    ('Tech Support', 'Other', '{}'::text[], array['computer', 'laptop', 'printer', 'wi-fi', 'wifi', 'router']),
    ('Shopping & Errands', 'Delivery', '{}'::text[], array['grocer', 'errand', 'shopping', 'prescription']),
    ('Meal Prep', 'Other', '{}'::text[], array['meal', 'cook', 'supper', 'perogies']),
    ('Tutoring', 'Other', '{}'::text[], array['tutor', 'homework', 'lesson', 'exam prep']),
    ('Photography', 'Other', '{}'::text[], array['photo']),
    ('General Labor', 'Other', '{}'::text[], array['labour', 'general labor', 'hauling', 'heavy lifting', 'digging'])
$$;

-- What a category that somebody asks for narrows the open tasks to: one of the eight, a kind, or else a word of the text.
-- `exact` is a condition that an index has in every order; `named` is one that a text search answers. At most one is there.
create function private.category_condition(wanted text, out exact text, out named text)
language plpgsql immutable set search_path = '' as $$
declare
  kind record;
begin
  select k.categories, k.words into kind from private.task_kinds() k where k.name = wanted;
  if not found then
    if wanted is null or private.rules()::jsonb -> 'categories' ? wanted then
      exact := 'category = ' || quote_literal(wanted);
    else
      named := 'words ilike ' || quote_literal(private.contains_pattern(left(wanted, 100)));
    end if;
  elsif cardinality(kind.categories) = 1 and kind.words = '{}' then
    exact := 'category = ' || quote_literal(kind.categories[1]);
  else
    select '(' || string_agg(part, ' or ') || ')' into named from (
      select format('category = any (%L::text[])', kind.categories) where kind.categories <> '{}'
      union all
      select 'words ilike ' || quote_literal(private.contains_pattern(word)) from unnest(kind.words) word
    ) parts (part);
  end if;
end $$;

-- The ids of open tasks, as public.search_tasks says: at most `wanted`, after `skipped` others.
create function private.found_tasks(
  query text, category text, wanted integer, location text, min_pay numeric, max_pay numeric, sort text, skipped integer,
  first_day date, last_day date
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  place constant text := nullif(private.trimmed(location), '');
  patterns text[] := (select coalesce(array_agg(private.contains_pattern(w)), '{}') from unnest(private.search_words(query)) w);
  ordered constant text := case sort when 'newest' then 'created_at desc, id'
    when 'pay' then 'pay_amount desc, created_at desc, id' when 'soonest' then 'scheduled_date, created_at desc, id' end;
  kind record;
  narrowed text;
  named text;
  indexed boolean;
  horizon integer;
  found_ids uuid[];
begin
  perform private.require(ordered is not null, 'Sort must be newest, pay or soonest', 'sort');
  select * into kind from private.category_condition(category);
  -- Days are Saskatchewan's. A task that suits at any time has none.
  narrowed := concat_ws(' and ', 'true', kind.exact,
    'pay_amount >= ' || quote_literal(min_pay), 'pay_amount <= ' || quote_literal(max_pay),
    'scheduled_date >= ' || quote_literal(first_day::timestamp at time zone 'America/Regina'),
    'scheduled_date < ' || quote_literal((last_day + 1)::timestamp at time zone 'America/Regina'));
  if place is not null then
    patterns := patterns || private.contains_pattern(place);
  end if;
  select concat_ws(' and ', string_agg('words ilike ' || quote_literal(p), ' and '),
    'location ilike ' || quote_literal(private.contains_pattern(place)), kind.named),
    coalesce(bool_or(p ~ '[[:alnum:]]{3}'), false) or kind.named is not null
    into named, indexed from unnest(patterns) p;

  if named = '' then
    execute format('select array_agg(id) from (select id from private.open_tasks where %s order by %s offset %s limit %s) t',
      narrowed, ordered, skipped, wanted) into found_ids;
  else
    -- What is common is found among the first tasks in that order; what is not found there is rare, and an index has it.
    foreach horizon in array case when indexed then array[2000, 10000] else array[20000] end loop
      execute format('select array_agg(id) from (select id from (select * from private.open_tasks where %1$s order by %2$s
        limit %3$s) first where %4$s order by %2$s offset %5$s limit %6$s) t', narrowed, ordered, horizon, named, skipped, wanted)
        into found_ids;
      -- Five times as far only where that is likely to do: the index is quick about what is rarer.
      exit when coalesce(cardinality(found_ids), 0) >= wanted or coalesce(cardinality(found_ids), 0) * 4 < wanted;
    end loop;
    if indexed and coalesce(cardinality(found_ids), 0) < wanted then
      execute format('with named as materialized (
          select id, pay_amount, scheduled_date, created_at from private.open_tasks where %1$s and %2$s)
        select array_agg(id) from (select id from named order by %3$s offset %4$s limit %5$s) t',
        narrowed, named, ordered, skipped, wanted) into found_ids;
    end if;
  end if;
  return coalesce(found_ids, '{}');
end $$;

drop function public.search_tasks(text, text, integer, text, numeric, numeric, text, integer);

-- Open tasks in which each word of the text stands (in title, description, category or location, case ignored); all
-- open ones when it is empty. `category` is one of the eight or a kind of the categories page, `location` a part of the
-- place, pay is in dollars, the days are when the work is to be done; `sort` is newest, pay (the best paid first) or
-- soonest. A page of at most 100, after `skip` others (at most 10,000).
create function public.search_tasks(
  query text default '', category text default null, max_results integer default 50, location text default null,
  min_pay numeric default null, max_pay numeric default null, sort text default 'newest', skip integer default 0,
  first_day date default null, last_day date default null
) returns setof public.tasks language sql stable security definer set search_path = '' as $$
  select t.* from unnest(private.found_tasks(query, category, least(greatest(coalesce(max_results, 50), 0), 100), location,
      min_pay, max_pay, sort, least(greatest(coalesce(skip, 0), 0), 10000), first_day, last_day))
    with ordinality found (id, place) join public.tasks t using (id)
  order by found.place
$$;
grant execute on function public.search_tasks(text, text, integer, text, numeric, numeric, text, integer, date, date)
  to anon, authenticated;

-- How many open tasks such a search finds; 100 stands for as many or more, so that counting costs no more than a page.
create function public.count_tasks(
  query text default '', category text default null, location text default null, min_pay numeric default null,
  max_pay numeric default null, first_day date default null, last_day date default null
) returns integer language sql stable security definer set search_path = '' as $$
  select cardinality(private.found_tasks(query, category, 100, location, min_pay, max_pay, 'newest', 0, first_day, last_day))
$$;
grant execute on function public.count_tasks(text, text, text, numeric, numeric, date, date) to anon, authenticated;

-- How many open tasks there are of each kind of the categories page; 100 stands for as many or more.
create function public.task_kind_counts() returns table (name text, count integer)
language sql stable security definer set search_path = '' as $$
  select k.name, public.count_tasks(category => k.name) from private.task_kinds() k
$$;
grant execute on function public.task_kind_counts() to anon, authenticated;
