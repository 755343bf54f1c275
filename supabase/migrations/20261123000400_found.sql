-- What search engines and link previews read of a task or a person, and which of these pages there are.

-- What the head of an open task's page says; null for any other, whether it is closed, hidden or never was. Asked with the
-- caller's rights, so that it says no more than they may read; the address is not in it.
create function public.task_head(task uuid) returns jsonb language sql stable set search_path = '' as $$
  select jsonb_build_object('id', t.id, 'title', t.title, 'description', t.description, 'category', t.category,
    'location', t.location, 'pay_amount', t.pay_amount, 'scheduled_date', t.scheduled_date, 'photo', t.photos[1],
    'created_at', t.created_at, 'updated_at', t.updated_at)
  from public.tasks t where t.id = task and t.status = 'open' and t.hidden_for is null
$$;

-- The same of a person who neither hides their profile nor is hidden. `listed`: whether Find Taskers shows them to everybody;
-- nobody else's page is meant for search engines.
create function public.person_head(person uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('id', shown.id, 'full_name', shown.full_name, 'bio', shown.bio, 'city', shown.city,
    'avatar_url', shown.avatar_url, 'skills', shown.skills, 'rating', shown.rating, 'total_reviews', shown.total_reviews,
    'role', shown.role, 'listed', exists (select from private.listed_taskers l where l.id = person))
  from private.profiles p join public.public_profiles shown on shown.id = p.id
  where p.id = person and p.visibility = 'public' and p.hidden_for is null and p.deleted_at is null and p.full_name <> ''
$$;
revoke execute on function public.task_head(uuid), public.person_head(uuid) from public;
grant execute on function public.task_head(uuid), public.person_head(uuid) to anon, authenticated, service_role;

-- Sitemaps. Each part is read on after the last page of the one before, the oldest first: a new task changes the last part
-- alone, and however many there are, a part costs the same.

-- Open tasks, {id, updated_at} each; none after a task that is gone.
create function public.sitemap_tasks(after_id uuid default null, max_results integer default 10000) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  after_at timestamptz := '-infinity';
begin
  if after_id is not null then
    select created_at into after_at from public.tasks where id = after_id;
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', part.id, 'updated_at', part.updated_at)), '[]') from (
      select t.id, t.updated_at from public.tasks t
      where t.status = 'open' and t.hidden_for is null and t.created_at >= after_at
        and (after_id is null or t.created_at > after_at or t.id < after_id)
      order by t.created_at, t.id desc limit max_results) part);
end $$;

-- The ids of whom Find Taskers lists.
create function public.sitemap_taskers(after_id uuid default null, max_results integer default 10000) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(part.id), '[]') from (
    select t.id from private.listed_taskers t where after_id is null or t.id > after_id
    order by t.id limit max_results) part
$$;

-- After which task, or tasker, each part but the first begins: {tasks: [id], taskers: [id]}.
create function public.sitemap_parts(max_results integer default 10000) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'tasks', (select coalesce(jsonb_agg(id order by place), '[]') from (
      select t.id, row_number() over (order by t.created_at, t.id desc) as place, count(*) over () as all_of_them
      from public.tasks t where t.status = 'open' and t.hidden_for is null) numbered
      where place % max_results = 0 and place < all_of_them),
    'taskers', (select coalesce(jsonb_agg(id order by place), '[]') from (
      select t.id, row_number() over (order by t.id) as place, count(*) over () as all_of_them
      from private.listed_taskers t) numbered
      where place % max_results = 0 and place < all_of_them))
$$;
revoke execute on function public.sitemap_tasks(uuid, integer), public.sitemap_taskers(uuid, integer),
  public.sitemap_parts(integer) from public, anon, authenticated;
grant execute on function public.sitemap_tasks(uuid, integer), public.sitemap_taskers(uuid, integer),
  public.sitemap_parts(integer) to service_role;
