-- Asking for reviews: an hour after a finished job is settled, each side that has not written is asked, once. Nobody
-- reads of a review of themselves before it is shown, an administrator who is party to a booking neither.

-- Reviews to ask for. The hour leaves room for the giver, who is asked on the spot when releasing the money.
create table private.review_requests (
  booking_id uuid primary key references public.bookings (id) on delete cascade,
  ask_at timestamptz not null default now() + interval '1 hour',
  asked boolean not null default false
);
create index review_requests_due on private.review_requests (ask_at) where not asked;
alter table private.review_requests enable row level security;

insert into private.notification_texts (key, kind, subject, button, title, message) values
  ('review_asked', 'reviews', 'How did it go with {person}?', 'Write your review', 'How did it go?',
    'Please review {person} for "{task}". Your review is shown once both of you have written, or 14 days after completion.');

create function private.request_reviews() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.review_requests (booking_id)
  select id from public.bookings where id = new.booking_id and status = 'completed'
  on conflict do nothing;
  if found then
    perform private.schedule_tick(now() + interval '1 hour');
  end if;
  return null;
end $$;

create trigger request_reviews after update of escrow_status on public.payments
for each row when (old.escrow_status <> new.escrow_status and new.escrow_status in ('released', 'refunded'))
execute function private.request_reviews();

-- Asks for the reviews of one booking; whoever calls goes on until it answers 0.
create function private.ask_for_reviews() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
  booking public.bookings;
  writer uuid;
begin
  select booking_id into due from private.review_requests where not asked and ask_at <= now()
  order by ask_at, booking_id limit 1 for no key update skip locked;
  if not found then
    return 0;
  end if;
  update private.review_requests set asked = true where booking_id = due;
  select * into strict booking from public.bookings where id = due;
  foreach writer in array array[booking.task_giver_id, booking.task_doer_id] loop
    if now() < booking.completed_at + make_interval(days => private.rule('limits.reviewDays'))
        and not exists (select from public.reviews where booking_id = due and reviewer_id = writer) then
      perform private.notify_person(writer, 'review_asked', jsonb_build_object(
        'person', private.person_name(case writer when booking.task_giver_id then booking.task_doer_id else booking.task_giver_id end),
        'task', (select title from public.tasks where id = booking.task_id)), private.booking_link(due));
    end if;
  end loop;
  return 1;
end $$;

-- What time does about reviews: those whose 14 days are over are shown, those that are missing are asked for.
-- run_scheduled calls it.
create or replace function private.announce_old_reviews() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select booking_id into due from public.reviews where not announced and visible_from <= now()
  order by id limit 1 for no key update skip locked;
  if not found then
    return private.ask_for_reviews();
  end if;
  perform private.announce_reviews(due);
  return 1;
end $$;

drop policy "anyone reads reviews that are shown, people what they wrote, admins all" on public.reviews;
create policy "anyone reads shown reviews, writers theirs, admins of others" on public.reviews
for select to anon, authenticated
using (visible_from <= now() or reviewer_id = (select auth.uid())
  or (reviewee_id <> (select auth.uid()) and (select private.is_admin())));

-- How many stars a person was given how often, of the reviews that are shown to everybody.
create index reviews_of_person_by_stars on public.reviews (reviewee_id, rating, visible_from);
create function public.review_counts(person uuid) returns table (stars integer, count integer)
language sql stable set search_path = '' as $$
  select rating, count(*)::int from public.reviews
  where reviewee_id = person and visible_from <= now() group by rating order by rating desc
$$;
grant execute on function public.review_counts(uuid) to anon, authenticated, service_role;
