-- Searching for tasks: text search, filters and numbers of tasks by kind.

set check_function_bodies = off;

-- A change only appends a row, so no two writers wait for each other, and sums and changes together are always exact.
create table private.kind_counts (
  kind text primary key,
  open_tasks bigint not null
);
alter table private.kind_counts enable row level security;

comment on table private.kind_counts is
  'Number of open tasks of each kind, without the latest changes, which are in private.kind_changes';
comment on column private.kind_counts.kind is 'Name of a kind in private.task_kinds()';

create table private.kind_changes (
  kind text not null,
  amount integer not null
);
alter table private.kind_changes enable row level security;

comment on table private.kind_changes is
  'Changes of the numbers in private.kind_counts that private.sum_figures has not added yet';
comment on column private.kind_changes.kind is 'Name of a kind in private.task_kinds()';
comment on column private.kind_changes.amount is '1 for one more open task, -1 for one less';

-- Searches ignore accents, variants of quotation marks and dashes, and the way characters are encoded: `grandma's` finds
-- `grandma’s`, `demenagement` finds `Déménagement`. Both sides go through private.search_text; the indexes store its result.

-- Text as searches compare it; same as shared/searchText.ts. The result must never change for a given text, because indexes store
-- it: a later version needs a new name and new indexes. Most text is ASCII, apart from the typographic ' " and - that phones
-- insert, and returns early.
create function private.search_text(value text) returns text
language plpgsql immutable strict parallel safe set search_path = '' as $$
declare
  folded text := replace(value, '`', '''');
begin
  if octet_length(folded) = length(folded) then
    return lower(folded);
  end if;
  folded := replace(replace(replace(replace(replace(folded, '’', ''''), '“', '"'), '”', '"'), '—', '-'), '–', '-');
  if octet_length(folded) = length(folded) then
    return lower(folded);
  end if;
  -- Before NFKD, which splits ´ and ″.
  folded := regexp_replace(folded, '[\u00ab\u00bb\u201c-\u201f\u2033\u2036\u301d-\u301f]', '"', 'g');
  folded := regexp_replace(folded, '[\u00b4\u02b9\u02bb-\u02bf\u02c8\u2018-\u201b\u2032\u2035\u2039\u203a]', '''', 'g');
  -- Accents, vowel points and characters that show nothing.
  folded := regexp_replace(normalize(folded, NFKD), '[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7'
    '\u0610-\u061a\u0640\u064b-\u065f\u0670\u093c\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20f0\ufe00-\ufe0f\ufeff]+', '', 'g');
  folded := lower(folded);
  if folded ~ '[ßæœþøłđðħıς\u2010-\u2015\u2043\u2044\u2212]' then
    folded := regexp_replace(folded, '[\u2010-\u2015\u2043\u2212]', '-', 'g');
    folded := replace(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
    folded := translate(folded, 'øłđðħıς⁄', 'olddhiσ/');
  end if;
  -- Korean syllables and Japanese voiced sounds are whole again, or か would be found in が.
  return case when folded ~ '[\u1100-\u11ff\u3099\u309a]' then normalize(folded, NFC) else folded end;
end $$;

-- A pattern for text that went through private.search_text. %, _ and \ are matched literally.
create function private.contains_pattern(words text) returns text
language sql immutable set search_path = '' as $$
  select '%' || regexp_replace(private.trimmed(private.search_text(words)), '([\\%_])', '\\\1', 'g') || '%'
$$;

-- The words of a search, at most 8, from the first 200 characters. Text in the double quotes of any language is one word;
-- otherwise white space separates words.
create function private.search_words(query text) returns text[]
language sql immutable set search_path = '' as $$
  select coalesce(array_agg(word), '{}') from (
    select coalesce(part[1], part[2], part[3]) as word
    from regexp_matches(left(private.trimmed(query), 200),
      '"([^"]+)"|[“”„‟«»〝〞＂]([^“”„‟«»〝〞＂]+)[“”„‟«»〝〞＂]|(\S+)', 'g') part limit 8
  ) words where private.trimmed(private.search_text(word)) <> ''
$$;

-- Open tasks that contain each word of the text in title, description, category or location; all open ones if it is empty.
-- `category` is one of the eight or a kind of the categories page. `location` is the name of a place, such as "Regina" or
-- "Nutana, Saskatoon", or else a part of the text. A city includes its neighbourhoods. Pay is in dollars, the days are when the work
-- is to be done. `sort` is newest, pay (best paid first) or soonest. A page has at most 100 tasks, after
-- `skip` others (at most 10,000).
create function public.search_tasks(
  query text default '', category text default null, max_results integer default 50, location text default null,
  min_pay numeric default null, max_pay numeric default null, sort text default 'newest', skip integer default 0,
  first_day date default null, last_day date default null
) returns setof public.tasks language sql stable security definer set search_path = '' as $$
  select t.* from unnest(private.matching_task_ids(query, category, least(greatest(coalesce(max_results, 50), 0), 100), location,
      min_pay, max_pay, sort, least(greatest(coalesce(skip, 0), 0), 10000), first_day, last_day))
    with ordinality found (id, place) join public.tasks t using (id)
  order by found.place
$$;

-- The kinds on the categories page. A task is of a kind if its category is one of `categories` or its text contains one of
-- `words`. A new task of the kind is posted under `category`. Same as shared/taskKinds.ts.
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

-- Conditions on private.open_tasks for a category that somebody asks for: one of the eight, a kind, or else a word of the text.
-- `exact` can use an index in every sort order; `named` needs a text search. At most one of them is set.
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

-- Conditions on private.open_tasks for pay and days; null without any. Days are those of the marketplace's clock. A task that suits at
-- any time has none.
create function private.range_conditions(min_pay numeric, max_pay numeric, first_day date, last_day date) returns text
language sql stable set search_path = '' as $$
  select string_agg(condition, ' and ') from unnest(array[
    'pay_amount >= ' || quote_literal(min_pay), 'pay_amount <= ' || quote_literal(max_pay),
    'scheduled_date >= ' || quote_literal(first_day::timestamp at time zone private.time_zone()),
    'scheduled_date < ' || quote_literal((last_day + 1)::timestamp at time zone private.time_zone())]) condition
$$;

-- The ids of open tasks for public.search_tasks: at most `wanted`, after `skipped` others.
create function private.matching_task_ids(
  query text, category text, wanted integer, location text, min_pay numeric, max_pay numeric, sort text, skipped integer,
  first_day date, last_day date
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  place constant text := nullif(private.trimmed(location), '');
  places constant text[] := private.places_within(private.places_named(place));
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
  perform private.require(ordered is not null, 'search.sort_unknown', 'sort');
  if length(place) > private.rule('limits.location.max') then
    perform private.fail('task.location_too_long', 'location');
  end if;
  select * into kind from private.category_condition(category);
  narrowed := concat_ws(' and ', 'true', kind.exact, private.range_conditions(min_pay, max_pay, first_day, last_day));
  if place is not null and places is null then
    patterns := patterns || private.contains_pattern(place);
  end if;
  select concat_ws(' and ', string_agg('words ilike ' || quote_literal(p), ' and '),
    case when places is null then 'location ilike ' || quote_literal(private.contains_pattern(place))
      else format('place_id = any (%L::text[])', places) end, kind.named),
    coalesce(bool_or(p ~ '[[:alnum:]]{3}'), false) or kind.named is not null or places is not null
    into named, indexed from unnest(patterns) p;

  if named = '' then
    execute format('select array_agg(id) from (select id from private.open_tasks where %s order by %s offset %s limit %s) t',
      narrowed, ordered, skipped, wanted) into found_ids;
  else
    -- Common words are found among the first tasks in that order; rare words are looked up in an index.
    foreach horizon in array case when indexed then array[2000, 10000] else array[20000] end loop
      execute format('select array_agg(id) from (select id from (select * from private.open_tasks where %1$s order by %2$s
        limit %3$s) first where %4$s order by %2$s offset %5$s limit %6$s) t', narrowed, ordered, horizon, named, skipped, wanted)
        into found_ids;
      -- Scan five times as far only where that probably suffices: the index is fast for rarer words.
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

-- The number of open tasks that search_tasks finds; 100 means 100 or more, so that counting costs no more than a page.
create function public.count_tasks(
  query text default '', category text default null, location text default null, min_pay numeric default null,
  max_pay numeric default null, first_day date default null, last_day date default null
) returns integer language sql stable security definer set search_path = '' as $$
  select cardinality(private.matching_task_ids(query, category, 100, location, min_pay, max_pay, 'newest', 0, first_day, last_day))
$$;

-- The number of open tasks of each kind on the categories page.
create function public.task_kind_counts() returns table (name text, count integer)
language sql stable security definer set search_path = '' as $$
  with known as (
    select s.kind, s.open_tasks from private.kind_counts s
    union all
    select c.kind, sum(c.amount) from private.kind_changes c group by 1
  )
  select k.name, coalesce(sum(known.open_tasks), 0)::integer
  from private.task_kinds() k left join known on known.kind = k.name group by 1
$$;

-- The kinds in which a search finds the task; none unless it is open and not hidden. After a change of private.task_kinds(),
-- private.open_tasks or private.search_text, private.rebuild_figures() must run.
create function private.matching_task_kinds(task public.tasks) returns text[]
language plpgsql immutable set search_path = '' as $$
declare
  text_of_task text;
begin
  if task.status <> 'open' or task.hidden_for is not null then
    return '{}';
  end if;
  text_of_task := private.search_text(concat_ws(E'\n', task.title, task.description, task.category, task.location));
  return array(
    select k.name from private.task_kinds() k
    where task.category = any (k.categories) or exists (select from unnest(k.words) w where position(w in text_of_task) > 0)
  );
end $$;

-- Appends to private.kind_changes in which kinds the task is found now, or no longer.
create function private.count_kinds(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
declare
  was text[] := '{}';
  is_now text[] := '{}';
begin
  if (before.id, before.status, before.hidden_for, before.category, before.title, before.description, before.location)
    is not distinct from (task.id, task.status, task.hidden_for, task.category, task.title, task.description, task.location) then
    return;
  end if;
  if before.id is not null then
    was := private.matching_task_kinds(before);
  end if;
  if task.id is not null then
    is_now := private.matching_task_kinds(task);
  end if;
  if was <> is_now then
    insert into private.kind_changes (kind, amount)
    select kind, -1 from unnest(was) kind union all select kind, 1 from unnest(is_now) kind;
  end if;
end $$;

-- Open tasks for searches. `words` and `location` went through private.search_text; `words` is the expression of the index
-- tasks_open_text.
create view private.open_tasks as
select id, category, private.search_text(location) as location, pay_amount, scheduled_date, created_at,
  private.search_text(title || E'\n' || description || E'\n' || category || E'\n' || location) as words,
  public_latitude, public_longitude, place_id
from public.tasks where status = 'open' and hidden_for is null;

create index tasks_open_text on public.tasks using gin (
  private.search_text(title || E'\n' || description || E'\n' || category || E'\n' || location) extensions.gin_trgm_ops
) where status = 'open';

create index tasks_open_of_place on public.tasks (place_id) where status = 'open';

grant execute on function
  public.search_tasks(text, text, integer, text, numeric, numeric, text, integer, date, date),
  public.count_tasks(text, text, text, numeric, numeric, date, date), public.task_kind_counts()
to anon, authenticated;
grant execute on function
  private.search_text(text)
to anon, authenticated, service_role;
