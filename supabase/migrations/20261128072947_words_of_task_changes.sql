-- Takes the English words for a task's changes from shared/texts, and drops a function that nothing calls.
set check_function_bodies = off;

create function private.change_texts() returns jsonb
language sql immutable set search_path = '' as $$
  select $json${
  "changes": {
    "price": "the price is now {{amount, money}}",
    "stays": "your application stays at {{amount, money}}",
    "time": "the time is now {{when}}, {{clock}}",
    "anytime": "any time suits now",
    "place": "the place is now {{place}}",
    "duration": "how long it takes",
    "work": "what is to be done",
    "tools": "the tools"
  },
  "betweenChanges": "; "
}$json$::jsonb
$$;

create or replace function private.describe_changes(facts jsonb) returns text
language sql stable set search_path = '' as $$
  select string_agg(private.filled_text(private.change_texts() #>> array['changes', fact ->> 'what'],
      fact || jsonb_build_object('when', private.day_and_time((fact ->> 'at')::timestamptz))),
    private.change_texts() ->> 'betweenChanges' order by nth)
  from jsonb_array_elements(facts) with ordinality as each (fact, nth)
$$;

create or replace function private.list_changes(before public.tasks, task public.tasks, agreed numeric) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(fact order by nth), '[]')
  from private.task_changes() with ordinality as change (what, columns, nth)
  cross join lateral (select case what
      when 'price' then jsonb_build_object('what', what, 'amount', task.pay_amount)
      when 'stays' then case when agreed <> task.pay_amount then jsonb_build_object('what', what, 'amount', agreed) end
      when 'time' then case when task.scheduled_date is not null
        then jsonb_build_object('what', what, 'at', task.scheduled_date) end
      when 'anytime' then case when task.scheduled_date is null then jsonb_build_object('what', what) end
      when 'place' then jsonb_build_object('what', what, 'place', task.location)
      else jsonb_build_object('what', what) end as fact) as named
  where fact is not null and exists (
    select from unnest(columns) as name where to_jsonb(before) -> name is distinct from to_jsonb(task) -> name)
$$;

-- The result has a column less.
drop function private.task_changes();

create function private.task_changes() returns table (what text, columns text[])
language sql immutable set search_path = '' as $$
  values
    ('price', '{pay_amount}'::text[]),
    ('stays', '{pay_amount}'),
    ('time', '{scheduled_date}'),
    ('anytime', '{scheduled_date}'),
    ('place', '{location}'),
    ('duration', '{duration_minutes}'),
    ('work', '{title,description,category}'),
    ('tools', '{tools_provided,tools_description}')
$$;

drop function private.task_has_applications(uuid);
