-- Data for search engines and link previews: the heads of the pages of tasks and people, and the sitemaps.

-- The head of an open task's page; null if the task is closed, hidden or missing. Runs with the caller's rights, so it contains
-- no more than they can read. The address is not included.
create function public.task_head(task uuid) returns jsonb language sql stable set search_path = '' as $$
  select jsonb_build_object('id', t.id, 'title', t.title, 'description', t.description, 'category', t.category,
    'location', t.location, 'pay_amount', t.pay_amount, 'scheduled_date', t.scheduled_date, 'photo', t.photos[1],
    'created_at', t.created_at, 'updated_at', t.updated_at)
  from public.tasks t where t.id = task and t.status = 'open' and t.hidden_for is null
$$;

-- The head of a visible person's page. Every caller gets the short name: the edge function page-head uses the secret key.
create function public.person_head(person uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('id', shown.id, 'full_name', private.public_name(p.full_name), 'bio', shown.bio,
    'city', shown.city, 'avatar_url', shown.avatar_url, 'skills', shown.skills, 'rating', shown.rating,
    'total_reviews', shown.total_reviews, 'role', shown.role,
    'listed', exists (select from private.listed_taskers l where l.id = person))
  from private.profiles p join public.public_profiles shown on shown.id = p.id
  where p.id = person and p.visibility = 'public' and p.hidden_for is null and p.deleted_at is null and p.full_name <> ''
$$;

-- Sitemaps. The parts are read oldest first, each after the last row of the previous one. A new task only changes the last part,
-- and every part costs the same, however many there are.

-- Open tasks after `after_id`, {id, updated_at} each; none if that task is gone.
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

-- The ids of the taskers that Find Taskers lists.
create function public.sitemap_taskers(after_id uuid default null, max_results integer default 10000) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(part.id), '[]') from (
    select t.id from private.listed_taskers t where after_id is null or t.id > after_id
    order by t.id limit max_results) part
$$;

-- The ids after which each part but the first begins: {tasks: [id], taskers: [id]}.
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

grant execute on function
  public.task_head(uuid), public.person_head(uuid)
to anon, authenticated;
