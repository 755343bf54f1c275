-- Reviews: one per side per completed booking, within 14 days, shown when both are in or the time is over.

create table public.reviews (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null references public.bookings (id) on delete cascade,
  -- Task and person reviewed follow from the booking; given or not, they are those.
  task_id uuid not null default '00000000-0000-0000-0000-000000000000' references public.tasks (id) on delete cascade,
  reviewer_id uuid not null references public.profiles (id) on delete cascade,
  reviewee_id uuid not null default '00000000-0000-0000-0000-000000000000'
    references public.profiles (id) on delete cascade,
  rating integer not null,
  comment text,
  -- From then on anyone may read it: when the other side's review came in, or when the 14 days are over.
  visible_from timestamptz not null default now(),
  -- The person reviewed was notified and the ratings were counted (by the second review, or by the schedule).
  announced boolean not null default false,
  created_at timestamptz not null default now(),
  unique (booking_id, reviewer_id)
);

create index reviews_of_person on public.reviews (reviewee_id, created_at desc);
create index reviews_by_person on public.reviews (reviewer_id);
create index reviews_of_task on public.reviews (task_id);

-- The booking as a review needs it; a definer, because the writer may be neither party.
create function private.booking_for_review(booking uuid) returns public.bookings
language sql security definer set search_path = '' as $$
  select * from public.bookings where id = booking for no key update
$$;
grant execute on function private.booking_for_review(uuid) to authenticated, service_role;

create function private.tidy_review() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.comment := nullif(private.trimmed(new.comment), '');
  return new;
end $$;
create trigger "10_tidy" before insert on public.reviews
for each row execute function private.tidy_review();

create trigger "11_rating" before insert on public.reviews for each row
when ((new.rating between private.rule('limits.reviewStars.min') and private.rule('limits.reviewStars.max')) is not true)
execute function private.reject('Rating must be between 1 and 5', 'rating');
create trigger "12_comment" before insert on public.reviews for each row
when (length(new.comment) > private.rule('limits.reviewComment.max'))
execute function private.reject('Comment too long', 'comment');
create trigger "20_own" before insert on public.reviews for each row
when (private.is_client() and (new.reviewer_id = auth.uid()) is not true)
execute function private.forbid('You can only review as yourself');

create function private.check_reviewed_booking() returns trigger
language plpgsql set search_path = '' as $$
declare
  not_given constant uuid := '00000000-0000-0000-0000-000000000000'; -- the columns' default
  booking constant public.bookings := private.booking_for_review(new.booking_id);
  other constant uuid := case when new.reviewer_id = booking.task_giver_id then booking.task_doer_id
    else booking.task_giver_id end;
  ends constant timestamptz := booking.completed_at + make_interval(days => private.rule('limits.reviewDays'));
begin
  perform private.allow(coalesce(new.reviewer_id in (booking.task_giver_id, booking.task_doer_id), false),
    'Only the two parties of a booking can review it');
  perform private.require(booking.status = 'completed', 'Only a completed booking can be reviewed', 'booking_id');
  perform private.require(now() < ends, 'A review can be written within 14 days of completion', 'booking_id');
  perform private.require(not exists (select from public.reviews
    where booking_id = new.booking_id and reviewer_id = new.reviewer_id),
    'You have already reviewed this booking', 'booking_id');
  perform private.require(coalesce(new.reviewee_id, not_given) in (not_given, other),
    'You can only review the other party of the booking', 'reviewee_id');
  perform private.require(coalesce(new.task_id, not_given) in (not_given, booking.task_id),
    'The task is not that of the booking', 'task_id');
  new.task_id := booking.task_id;
  new.reviewee_id := other;
  new.visible_from := ends;
  return new;
end $$;
create trigger "30_booking" before insert on public.reviews
for each row execute function private.check_reviewed_booking();

create index reviews_to_announce on public.reviews (visible_from) where not announced;

-- The second of the two reviews opens both; the schedule opens one alone when its time is over.
create function private.follow_review() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if (select count(*) from public.reviews where booking_id = new.booking_id) = 2 then
    update public.reviews set visible_from = now() where booking_id = new.booking_id;
    perform private.announce_reviews(new.booking_id);
  else
    perform private.schedule_tick(new.visible_from);
  end if;
  return null;
end $$;

-- Tells the people reviewed and counts their reviews. People in the order of their ids, so that two recounts
-- at once do not wait for each other.
create function private.announce_reviews(booking uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  review public.reviews;
begin
  for review in select * from public.reviews
    where booking_id = booking and not announced and visible_from <= clock_timestamp() order by reviewee_id
  loop
    update public.reviews set announced = true where id = review.id;
    perform private.recount_person(review.reviewee_id);
    perform private.notify_person(review.reviewee_id, 'review_received', jsonb_build_object(
      'person', private.person_name(review.reviewer_id),
      'task', (select title from public.tasks where id = review.task_id)), '/profile/' || review.reviewee_id);
  end loop;
end $$;

create trigger follow_review after insert on public.reviews
for each row execute function private.follow_review();

alter table public.reviews enable row level security;
revoke all on public.reviews from anon, authenticated;
grant select on public.reviews to anon, authenticated;
grant insert (booking_id, reviewer_id, reviewee_id, rating, comment, task_id) on public.reviews to authenticated;

create policy "anyone reads reviews that are shown, people what they wrote, admins all" on public.reviews
for select to anon, authenticated
using (visible_from <= now() or reviewer_id = (select auth.uid()) or (select private.is_admin()));
create policy "participants review as themselves" on public.reviews for insert to authenticated
with check (reviewer_id = (select auth.uid()));
