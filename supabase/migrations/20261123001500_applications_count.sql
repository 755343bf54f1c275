-- How many applications to an open task wait for the giver's answer: a computed column of tasks, which anybody who
-- browses may read, so that taskers see where they have a chance. It says how many, never who. What it counts is looked
-- up, not taken from the row that a caller hands in: 0 for a task that is not open to everybody.
create function public.applications_count(task public.tasks) returns integer
language sql stable security definer set search_path = '' as $$
  select count(*)::integer from public.tasks t join public.bookings b on b.task_id = t.id and b.status = 'pending'
  where t.id = task.id and t.status = 'open' and t.hidden_for is null
$$;
grant execute on function public.applications_count(public.tasks) to anon, authenticated;
