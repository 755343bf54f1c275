-- How many open tasks there are of each kind, without reading them: sums, and beside them the changes since, kept as
-- 20261123001020_summed_figures.sql keeps the back office's figures. A change only appends a row, so no two writers wait for each
-- other, and the counts are exact whether or not the clock has been there (20261123001210_summed_kinds_and_medians.sql).

create table private.kind_counts (
  kind text primary key,
  open_tasks bigint not null
);
alter table private.kind_counts enable row level security;

-- A task of that kind that can be found since (1), or no longer (-1).
create table private.kind_changes (
  kind text not null,
  amount integer not null
);
alter table private.kind_changes enable row level security;

-- The kinds as which search finds a task; none while nobody finds it. Whoever changes private.task_kinds() or what stands in
-- private.open_tasks counts anew afterwards (private.rebuild_figures()).
create function private.kinds_of(task public.tasks) returns text[]
language plpgsql immutable set search_path = '' as $$
declare
  text_of_task text;
begin
  if task.status <> 'open' or task.hidden_for is not null then
    return '{}';
  end if;
  text_of_task := lower(concat_ws(E'\n', task.title, task.description, task.category, task.location));
  return array(
    select k.name from private.task_kinds() k
    where task.category = any (k.categories) or exists (select from unnest(k.words) w where position(w in text_of_task) > 0)
  );
end $$;

create function private.count_kinds() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  was text[] := '{}';
  is_now text[] := '{}';
begin
  -- What decides is compared first: `update of` does not see what a trigger before has set.
  if tg_op = 'UPDATE' and (old.status, old.hidden_for, old.category, old.title, old.description, old.location)
    is not distinct from (new.status, new.hidden_for, new.category, new.title, new.description, new.location) then
    return null;
  end if;
  if tg_op <> 'INSERT' then
    was := private.kinds_of(old);
  end if;
  if tg_op <> 'DELETE' then
    is_now := private.kinds_of(new);
  end if;
  if was <> is_now then
    insert into private.kind_changes (kind, amount)
    select kind, -1 from unnest(was) kind union all select kind, 1 from unnest(is_now) kind;
  end if;
  return null;
end $$;
create trigger "90_count_kinds" after insert or delete or update on public.tasks
for each row execute function private.count_kinds();

-- How many open tasks there are of each kind of the categories page.
create or replace function public.task_kind_counts() returns table (name text, count integer)
language sql stable security definer set search_path = '' as $$
  with known as (
    select s.kind, s.open_tasks from private.kind_counts s
    union all
    select c.kind, sum(c.amount) from private.kind_changes c group by 1
  )
  select k.name, coalesce(sum(known.open_tasks), 0)::integer
  from private.task_kinds() k left join known on known.kind = k.name group by 1
$$;

insert into private.kind_counts (kind, open_tasks)
select kind, count(*) from public.tasks t, unnest(private.kinds_of(t)) kind group by 1;
