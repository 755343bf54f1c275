-- Searches compare text without regard to accents, quotation marks, dashes and the way characters are encoded: `grandma's` finds
-- `grandma’s`, `demenagement` finds `Déménagement`. Both sides go through private.search_text; the indexes hold its result.

-- Text as searches compare it; the twin of shared/searchText.ts. The result must never change for a given text, because indexes
-- store it: a later version needs a new name and new indexes. Most text is ASCII, apart from what phones make of ' " and -, and
-- returns early.
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
grant execute on function private.search_text(text) to anon, authenticated, service_role;

-- The words of a search: text in double quotes, of whichever language, is one word; otherwise white space separates words. At
-- most 8 words, from the first 200 characters.
create or replace function private.search_words(query text) returns text[]
language sql immutable set search_path = '' as $$
  select coalesce(array_agg(word), '{}') from (
    select coalesce(part[1], part[2], part[3]) as word
    from regexp_matches(left(private.trimmed(query), 200),
      '"([^"]+)"|[“”„‟«»〝〞＂]([^“”„‟«»〝〞＂]+)[“”„‟«»〝〞＂]|(\S+)', 'g') part limit 8
  ) words where private.trimmed(private.search_text(word)) <> ''
$$;

-- A pattern for text that went through private.search_text. %, _ and \ stand for themselves.
create or replace function private.contains_pattern(words text) returns text
language sql immutable set search_path = '' as $$
  select '%' || regexp_replace(private.trimmed(private.search_text(words)), '([\\%_])', '\\\1', 'g') || '%'
$$;

-- Open tasks as a search reads them. `words` is the expression of the index tasks_open_text; `words` and `location` went through
-- private.search_text.
create or replace view private.open_tasks as
select id, category, private.search_text(location) as location, pay_amount, scheduled_date, created_at,
  private.search_text(title || E'\n' || description || E'\n' || category || E'\n' || location) as words
from public.tasks where status = 'open' and hidden_for is null;

drop index public.tasks_open_text;
create index tasks_open_text on public.tasks using gin (
  private.search_text(title || E'\n' || description || E'\n' || category || E'\n' || location) extensions.gin_trgm_ops
) where status = 'open';

-- The text that a search for taskers looks into: name, skills and bio, each on its own line.
create or replace function private.tasker_text(full_name text, skills text[], bio text) returns text
language sql immutable parallel safe set search_path = '' as $$
  select private.search_text(concat_ws(E'\n', full_name, array_to_string(skills, E'\n'), bio))
$$;

-- The text that the back office's search for people looks into.
create or replace function private.person_text(full_name text, email text, phone text) returns text
language sql immutable parallel safe set search_path = '' as $$
  select private.search_text(concat_ws(E'\n', full_name, email, phone))
$$;

reindex index private.profiles_taskers_text;
reindex index private.profiles_text;
analyze private.profiles;
analyze public.tasks;

-- The kinds for which a search finds a task; none while the task cannot be found. Recount after changing private.task_kinds(),
-- private.open_tasks or private.search_text (private.rebuild_figures()).
create or replace function private.kinds_of(task public.tasks) returns text[]
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

select pg_advisory_xact_lock(hashtextextended('private.figures', 0));
delete from private.kind_counts;
delete from private.kind_changes;
insert into private.kind_counts (kind, open_tasks)
select kind, count(*) from public.tasks t, unnest(private.kinds_of(t)) kind group by 1;

-- How well a task suits a tasker: points for a preferred category and for each skill that the title or the description names.
-- Without settings, so that PostgreSQL can inline it.
create or replace function private.score_of(
  category text, title text, description text, preferred_categories text[], skills text[]
) returns table (score integer) language sql immutable begin atomic
  select case when category = any (preferred_categories) then private.rule('recommendation.preferredCategory') else 0 end
    + private.rule('recommendation.skill') * count(*)::integer
  from (select private.search_text(title) as title, private.search_text(description) as description) task,
    unnest(skills) skill (name)
  where strpos(task.title, private.search_text(skill.name)) > 0 or strpos(task.description, private.search_text(skill.name)) > 0;
end;

-- The ids of taskers, as public.search_taskers returns them, the best rated first: at most `wanted` of the 2,000 after the given one.
create or replace function private.found_taskers(
  query text, wanted integer, city text, category text, max_rate numeric, availability text,
  after_rating numeric default null, after_reviews integer default null, after_id uuid default null
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  page constant integer := 200;
  home constant text := nullif(private.trimmed(private.search_text(city)), '');
  found_ids uuid[] := '{}';
  matching uuid[];
  listed uuid[];
begin
  perform private.require(availability is null or availability in ('available', 'busy', 'unavailable'),
    'Availability must be available, busy or unavailable', 'availability');
  for n in 0 .. 9 loop
    select coalesce(array_agg(p.id order by f.place), '{}'), coalesce(array_agg(p.id order by f.place) filter (where
        (home is null or private.search_text(p.city) = home)
        and (found_taskers.category is null or p.preferred_categories @> array[found_taskers.category])
        and (found_taskers.max_rate is null or p.hourly_rate <= found_taskers.max_rate)
        and (found_taskers.availability is null or p.availability_status::text = found_taskers.availability)), '{}')
      into listed, matching
    from (
      select t.id, row_number() over () as place
      from public.find_taskers(query, page, after_rating, after_reviews, after_id) t
    ) f join private.profiles p on p.id = f.id;
    found_ids := found_ids || matching;
    exit when cardinality(listed) < page or cardinality(found_ids) >= wanted;
    select p.rating, p.total_reviews, p.id into after_rating, after_reviews, after_id
    from private.profiles p where p.id = listed[page];
  end loop;
  return found_ids[1:wanted];
end $$;

-- Complaints that wait, the oldest first, or decided ones, the latest first; each word occurs in the task's title or in one of the
-- two names. The page after the row with (after_at, after_id): its created_at, or decided_at, and id; at most 100.
create or replace function public.find_complaints(query text default '', decided boolean default false,
  after_at timestamptz default null, after_id uuid default null, max_results integer default 50)
returns setof public.complaints language plpgsql stable security definer set search_path = '' as $$
declare
  patterns constant text[] := (
    select coalesce(array_agg(private.contains_pattern(w)), '{}') from unnest(private.search_words(query)) w);
begin
  perform private.allow(private.is_admin(), 'Only admins can look through complaints');
  return query execute concat_ws(' ',
    'select c.* from public.complaints c where c.decision', case when decided then 'is not null' else 'is null' end,
    case when patterns <> '{}' then format('and exists (select from public.payments p join public.tasks t on t.id = p.task_id
        join private.profiles giver on giver.id = c.giver_id join private.profiles tasker on tasker.id = c.tasker_id
      where p.id = c.payment_id
        and private.search_text(concat_ws(%L, t.title, giver.full_name, tasker.full_name)) like all (%L))', E'\n', patterns)
    end,
    case when after_at is not null then format(case when decided then 'and (c.decided_at, c.id) < (%L, %L)'
      else 'and (c.created_at, c.id) > (%L, %L)' end, after_at, after_id) end,
    'order by', case when decided then 'c.decided_at desc, c.id desc' else 'c.created_at, c.id' end,
    'limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;
