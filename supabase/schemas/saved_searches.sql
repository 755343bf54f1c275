-- Saved searches: a person is alerted of new and changed tasks that match, at once or in a daily e-mail. A task alerts a person
-- once, however many of their searches it matches, and never of a task that they have seen.

create type public.alert_pace as enum ('at_once', 'daily');

create table public.saved_searches (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references private.profiles (id) on delete cascade,
  words text not null default '',
  category text,
  location text not null default '',
  min_pay numeric(12, 2),
  pace public.alert_pace not null default 'at_once',
  created_at timestamptz not null default now(),
  matched_words text[] not null default '{}',
  matched_location text not null default '',
  max_pay numeric(12, 2),
  first_day date,
  last_day date,
  place_id text references public.places (id) on delete set null,
  latitude double precision,
  longitude double precision,
  radius_km integer,
  matched_fragment text not null default '',
  matched_places text[] not null default '{}'
);
alter table public.saved_searches enable row level security;

comment on table public.saved_searches is 'Searches for tasks that people saved; new and changed tasks that match alert them';
comment on column public.saved_searches.words is 'Words that the task contains, as in search_tasks; empty for any';
comment on column public.saved_searches.category is 'One of the eight categories or a kind of the categories page; null for any';
comment on column public.saved_searches.location is 'The name of a place, or a part of the text that says where the task is; empty for any';
comment on column public.saved_searches.min_pay is 'Dollars that the task pays at least; null for any';
comment on column public.saved_searches.matched_words is 'The single words as searches compare them (private.search_text), set from words';
comment on column public.saved_searches.matched_location is 'The place as searches compare it, set from location';
comment on column public.saved_searches.max_pay is 'Dollars that the task pays at most; null for any';
comment on column public.saved_searches.first_day is 'First day of the work, by the marketplace''s clock; null for any';
comment on column public.saved_searches.last_day is 'Last day of the work, by the marketplace''s clock; null for any';
comment on column public.saved_searches.place_id is
  'The place around which tasks are; null without one, for a point, and once the place is gone';
comment on column public.saved_searches.latitude is
  'Degrees north of the place, or of the centre of the cell of a device''s position; null for everywhere';
comment on column public.saved_searches.longitude is
  'Degrees east of the place, or of the centre of the cell of a device''s position; null for everywhere';
comment on column public.saved_searches.radius_km is 'Kilometres from the point as the crow flies; null for everywhere';
comment on column public.saved_searches.matched_places is
  'The places that location names (private.places_named); empty if it is another text';
comment on column public.saved_searches.matched_fragment is 'Not used: a later version removes it';
comment on column public.saved_searches.pace is 'at_once: a notification for each task; daily: one e-mail a day';

create table private.task_alerts (
  person_id uuid not null references private.profiles (id) on delete cascade,
  task_id uuid not null references public.tasks (id) on delete cascade,
  pace public.alert_pace not null,
  matched_at timestamptz not null default now(),
  sent_at timestamptz,
  primary key (person_id, task_id)
);
alter table private.task_alerts enable row level security;

comment on table private.task_alerts is 'Tasks that matched a saved search of a person; rows older than 30 days are deleted every night';
comment on column private.task_alerts.pace is 'When the person wants to hear of it: the quicker of the matching searches';
comment on column private.task_alerts.sent_at is 'When the person was alerted; null while it waits';

create table private.seen_tasks (
  person_id uuid not null references private.profiles (id) on delete cascade,
  task_id uuid not null references public.tasks (id) on delete cascade,
  seen_at timestamptz not null default now(),
  primary key (person_id, task_id)
);
alter table private.seen_tasks enable row level security;

comment on table private.seen_tasks is
  'Tasks that people with saved searches have opened; rows older than 30 days are deleted every night';

create index saved_searches_newest on public.saved_searches (user_id, created_at desc, id);
create index saved_searches_of_place on public.saved_searches (place_id) where place_id is not null;
create index task_alerts_waiting on private.task_alerts (pace, matched_at) where sent_at is null;
create index task_alerts_sent on private.task_alerts (person_id, sent_at) where sent_at is not null;
create index task_alerts_of_task on private.task_alerts (task_id);
create index seen_tasks_of_task on private.seen_tasks (task_id);

-- Before a saved search is added or changed.
create function private.before_saved_search_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(not private.is_client() or new.user_id = auth.uid(), 'saved_search.not_own');
  perform private.limit_client('searches_saved');
  new := private.tidy_saved_search(new);
  perform private.check_saved_search(new);
  new := private.locate_saved_search(new);
  if tg_op = 'INSERT' then
    perform private.require(not exists (select from public.saved_searches s where s.user_id = new.user_id
      and (s.matched_words, s.matched_location, s.category, s.min_pay, s.max_pay, s.first_day, s.last_day, s.place_id, s.latitude,
        s.longitude, s.radius_km) is not distinct from (new.matched_words, new.matched_location, new.category, new.min_pay, new.max_pay,
        new.first_day, new.last_day, new.place_id, new.latitude, new.longitude, new.radius_km)),
      'saved_search.exists', 'words');
    perform private.require((select count(*) from public.saved_searches where user_id = new.user_id) < private.rule('limits.savedSearches'),
      'saved_search.too_many', 'user_id', jsonb_build_object('limit', private.rule('limits.savedSearches')));
  end if;
  return new;
end $$;

create trigger before_saved_search_change before insert or update on public.saved_searches
for each row execute function private.before_saved_search_change();

-- Trims the texts, and keeps them as private.search_text compares them, so that matching ten thousand searches stays quick.
create function private.tidy_saved_search(search public.saved_searches) returns public.saved_searches
language plpgsql immutable set search_path = '' as $$
begin
  search.words := coalesce(private.trimmed(search.words), '');
  search.location := coalesce(private.trimmed(search.location), '');
  search.matched_words := array(select private.trimmed(private.search_text(word)) from unnest(private.search_words(search.words)) word);
  search.matched_location := coalesce(private.search_text(search.location), '');
  return search;
end $$;

-- Applies the rules of each field. A search for everything is refused, because every task would alert.
create function private.check_saved_search(search public.saved_searches) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.require(length(search.words) <= 200, 'saved_search.words_too_long', 'words');
  perform private.require(length(search.location) <= 100, 'saved_search.location_too_long', 'location');
  perform private.require(search.category is null or private.rules()::jsonb -> 'categories' ? search.category
    or exists (select from private.task_kinds() k where k.name = search.category), 'saved_search.category_unknown', 'category');
  perform private.require(search.min_pay is null or search.min_pay between 0 and private.marketplace_number('pay.max'),
    'saved_search.pay_out_of_range', 'min_pay');
  perform private.require(search.max_pay is null or search.max_pay between 0 and private.marketplace_number('pay.max'),
    'saved_search.highest_pay_out_of_range', 'max_pay');
  perform private.require(coalesce(search.min_pay <= search.max_pay, true), 'saved_search.pay_order', 'max_pay');
  perform private.require(search.first_day is null or search.first_day between '2000-01-01' and '9999-12-31',
    'saved_search.day_out_of_range', 'first_day');
  perform private.require(search.last_day is null or search.last_day between '2000-01-01' and '9999-12-31',
    'saved_search.day_out_of_range', 'last_day');
  perform private.require(coalesce(search.first_day <= search.last_day, true), 'saved_search.day_order', 'last_day');
  perform private.require(search.words <> '' or search.location <> '' or num_nonnulls(search.category, search.min_pay, search.max_pay,
    search.first_day, search.last_day, search.place_id, search.latitude, search.longitude, search.radius_km) > 0,
    'saved_search.empty', 'words');
end $$;

-- Sets the places that the location names and the point of a place, and replaces any other point with the centre of its cell.
create function private.locate_saved_search(search public.saved_searches) returns public.saved_searches
language plpgsql stable set search_path = '' as $$
begin
  search.matched_places := coalesce(private.places_named(search.location), '{}');
  if num_nonnulls(search.place_id, search.latitude, search.longitude, search.radius_km) = 0 then
    return search;
  end if;
  perform private.require(search.location = '', 'saved_search.two_places', 'location');
  perform private.require(search.radius_km between private.rule('limits.radiusKm.min') and private.rule('limits.radiusKm.max'),
    'search.radius_out_of_range', 'radius_km');
  if search.place_id is not null then
    select p.latitude, p.longitude into search.latitude, search.longitude from public.places p where p.id = search.place_id;
    perform private.require(found, 'place.unknown', 'place_id');
  else
    perform private.require_point(search.latitude, search.longitude);
    select c.latitude, c.longitude into search.latitude, search.longitude from private.public_point(search.latitude, search.longitude) c;
  end if;
  return search;
end $$;

-- The place of a saved search, or the nearest place to its point, such as "Nutana, Saskatoon": a computed column. Null for everywhere.
create function public.place_name(search public.saved_searches) returns text
language sql stable set search_path = '' as $$
  select concat_ws(', ', p.name, p.city) from public.places p
  where search.latitude is not null
  order by p.id = search.place_id desc nulls last, private.km_between(search.latitude, search.longitude, p.latitude, p.longitude), p.id limit 1
$$;

-- The saved searches that find a task, by the rules of search_tasks and nearby_tasks; all or those of one person.
create function private.searches_finding(task public.tasks, person uuid default null) returns setof public.saved_searches
language plpgsql stable security definer set search_path = '' as $$
declare
  kinds constant text[] := private.matching_task_kinds(task) || task.category;
  searched constant text := private.search_text(concat_ws(E'\n', task.title, task.description, task.category, task.location));
  place constant text := private.search_text(task.location);
  -- The place of the task and, if it is a neighbourhood, its city.
  places constant text[] := array(select p.id from public.places own join public.places p
    on p.id = own.id or p.city is null and p.name = own.city where own.id = task.place_id);
  day constant date := task.scheduled_date at time zone private.time_zone();
begin
  return query select * from public.saved_searches s
  where (person is null or s.user_id = person)
    and (s.category is null or s.category = any (kinds))
    and (s.min_pay is null or s.min_pay <= task.pay_amount) and (s.max_pay is null or s.max_pay >= task.pay_amount)
    and (s.first_day is null or s.first_day <= day) and (s.last_day is null or s.last_day >= day)
    and (s.radius_km is null
      or private.km_between(s.latitude, s.longitude, task.public_latitude, task.public_longitude) <= s.radius_km)
    and case when s.matched_places = '{}' then strpos(place, s.matched_location) > 0
      else s.matched_places && places end
    and not exists (select from unnest(s.matched_words) word where strpos(searched, word) = 0);
end $$;

-- Records whom a task alerts that is new to everybody or was changed, and has them alerted.
create function private.alert_searchers(task public.tasks) returns void
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.task_alerts (person_id, task_id, pace)
  select s.user_id, task.id, min(s.pace) from private.searches_finding(task) s
  where s.user_id <> task.task_giver_id
  group by s.user_id
  on conflict do nothing;
  if found then
    perform private.enqueue_function('run-scheduled', '{}');
    perform private.schedule_tick(private.next_alert_email(now()));
  end if;
end $$;

-- Sends one alert that is due at once, if the person has not seen the task and it is still open. After ten alerts in a day the rest
-- waits for the daily e-mail. Called by run_scheduled.
create function private.send_task_alert() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
begin
  select a.person_id, a.task_id, t.title, t.location, t.pay_amount, private.is_worth_an_alert(a.person_id, t) as wanted,
    (select count(*) from private.task_alerts s where s.person_id = a.person_id and s.sent_at > now() - interval '1 day')
      < private.rule('limits.alertsPerDay') as within_limit into due
  from private.task_alerts a join public.tasks t on t.id = a.task_id
  where a.sent_at is null and a.pace = 'at_once'
  order by a.matched_at limit 1 for no key update of a skip locked;
  if not found then
    return 0;
  end if;
  if not due.wanted then
    delete from private.task_alerts where person_id = due.person_id and task_id = due.task_id;
  elsif not due.within_limit then
    update private.task_alerts set pace = 'daily' where person_id = due.person_id and task_id = due.task_id;
    perform private.schedule_tick(private.next_alert_email(now()));
  else
    update private.task_alerts set sent_at = now() where person_id = due.person_id and task_id = due.task_id;
    perform private.notify_person(due.person_id, 'search_matched', jsonb_build_object('task', due.title, 'place', due.location,
      'amount', due.pay_amount), '/task/' || due.task_id || '?side=task_doer');
  end if;
  return 1;
end $$;

-- Whether an alert still helps: the task is open for everybody, the person has neither seen it nor applied, and a search finds it.
create function private.is_worth_an_alert(person uuid, task public.tasks) returns boolean
language sql stable security definer set search_path = '' as $$
  select task.status = 'open' and task.hidden_for is null
    and not exists (select from private.seen_tasks s where s.person_id = person and s.task_id = task.id)
    and not exists (select from public.bookings b where b.task_id = task.id and b.task_doer_id = person)
    and exists (select from private.searches_finding(task, person))
$$;

-- The tasks among these that are still worth an alert, as the daily e-mail names them: {tasks, number}. Null if there are none.
create function private.alerted_tasks(person uuid, ids jsonb) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('tasks', string_agg('"' || title || '"', ', ' order by nth) filter (where nth <= 5), 'number', count(*))
  from (select t.title, row_number() over (order by listed.nth) as nth
    from jsonb_array_elements_text(ids) with ordinality listed (id, nth) join public.tasks t on t.id = listed.id::uuid
    where private.is_worth_an_alert(person, t)) wanted
  having count(*) > 0
$$;

-- The hour of the daily e-mail that comes next, 8:00 by the marketplace's clock.
create function private.next_alert_email(after timestamptz) returns timestamptz
language sql stable set search_path = '' as $$
  select min(at) from (select (date_trunc('day', after at time zone private.time_zone()) + day * interval '1 day' + interval '8 hours')
    at time zone private.time_zone() from generate_series(0, 1) day) hours (at) where at > after
$$;

-- Queues one daily e-mail with the tasks that matched before its hour; private.events_of_email chooses among them again when it is
-- sent. Called by run_scheduled.
create function private.send_alert_email() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  hour constant timestamptz := private.next_alert_email(now() - interval '1 day');
  person uuid;
  ids jsonb;
  news jsonb;
begin
  select a.person_id into person from private.task_alerts a
  where a.sent_at is null and a.pace = 'daily' and a.matched_at < hour order by a.matched_at limit 1 for no key update skip locked;
  if not found then
    return 0;
  end if;
  with due as (
    update private.task_alerts a set sent_at = now()
    where a.person_id = person and a.sent_at is null and a.pace = 'daily' and a.matched_at < hour
    returning a.task_id, a.matched_at
  )
  select jsonb_agg(task_id order by matched_at, task_id) into ids from due;
  news := private.alerted_tasks(person, ids);
  if news is not null then
    perform private.queue_email(person, 'searches_matched', news || jsonb_build_object('ids', ids), '/saved-searches');
  end if;
  return 1;
end $$;

-- Notes that the caller has seen a task, so that no alert tells them of it. Only for people with saved searches.
create function public.note_seen_task(task_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null, 'account.not_authenticated');
  insert into private.seen_tasks (person_id, task_id)
  select auth.uid(), t.id from public.tasks t
  where t.id = note_seen_task.task_id and t.status = 'open' and exists (select from public.saved_searches where user_id = auth.uid())
  on conflict do nothing;
end $$;

-- Erases the saved searches of a deleted account whose profile stays as an anchor.
create function private.erase_saved_searches(person uuid) returns void
language sql set search_path = '' as $$
  delete from public.saved_searches where user_id = person;
  delete from private.task_alerts where person_id = person;
  delete from private.seen_tasks where person_id = person
$$;

create policy "people read their own saved searches" on public.saved_searches for select to authenticated
using (user_id = (select auth.uid()));

create policy "people save searches for themselves" on public.saved_searches for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "deleted accounts cannot save searches" on public.saved_searches as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people change their own saved searches" on public.saved_searches for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "people remove their own saved searches" on public.saved_searches for delete to authenticated
using (user_id = (select auth.uid()));

grant select, delete, insert (user_id, words, category, location, min_pay, pace, max_pay, first_day, last_day, place_id, latitude,
  longitude, radius_km), update (pace) on public.saved_searches to authenticated;
grant execute on function
  private.tidy_saved_search(public.saved_searches), private.check_saved_search(public.saved_searches),
  private.locate_saved_search(public.saved_searches), private.search_words(text), private.task_kinds()
to authenticated, service_role;
grant execute on function
  public.note_seen_task(uuid), public.place_name(public.saved_searches)
to authenticated;

insert into private.activity_limits (action, per_hour, per_day) values ('searches_saved', 60, 200);

select cron.schedule('forget-task-alerts', '33 3 * * *', $$
  delete from private.task_alerts where matched_at < now() - interval '30 days';
  delete from private.seen_tasks where seen_at < now() - interval '30 days'$$);
