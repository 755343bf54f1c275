-- Reviews: one by each party of a completed booking, within 14 days. They are shown once both are written or the time is over.

create table public.reviews (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null references public.bookings (id) on delete cascade,
  task_id uuid not null default '00000000-0000-0000-0000-000000000000' references public.tasks (id) on delete cascade,
  reviewer_id uuid not null references private.profiles (id) on delete cascade,
  reviewee_id uuid not null default '00000000-0000-0000-0000-000000000000'
    references private.profiles (id) on delete cascade,
  rating integer not null,
  comment text,
  visible_from timestamptz not null default now(),
  announced boolean not null default false,
  created_at timestamptz not null default now(),
  hidden_at timestamptz,
  unique (booking_id, reviewer_id)
);
alter table public.reviews enable row level security;

comment on table public.reviews is
  'Reviews by each party of a completed booking; shown once both are written or the time is over';
comment on column public.reviews.task_id is 'The booking''s task, set from the booking';
comment on column public.reviews.reviewee_id is 'The other party of the booking, set from the booking';
comment on column public.reviews.rating is 'Stars, 1 to 5';
comment on column public.reviews.comment is 'Null if not given';
comment on column public.reviews.visible_from is
  'Public from then on: when the other party''s review was written, or when the 14 days are over';
comment on column public.reviews.announced is 'Whether the reviewee was notified and the ratings were recounted';
comment on column public.reviews.hidden_at is 'When an admin hid it after a report; null while it is shown';

create table private.review_requests (
  booking_id uuid primary key references public.bookings (id) on delete cascade,
  ask_at timestamptz not null default now() + interval '1 hour',
  asked boolean not null default false
);
alter table private.review_requests enable row level security;

comment on table private.review_requests is 'Settled bookings whose parties are asked once for a missing review';
comment on column private.review_requests.ask_at is
  'An hour after the settlement, because the giver is also asked when releasing the money';
comment on column private.review_requests.asked is 'Whether both parties were asked, as far as their review was missing';

create index reviews_of_person on public.reviews (reviewee_id, created_at desc);
create index reviews_by_person on public.reviews (reviewer_id);
create index reviews_of_task on public.reviews (task_id);
create index reviews_to_announce on public.reviews (visible_from) where not announced;
create index review_requests_due on private.review_requests (ask_at) where not asked;

-- For public.review_counts: how many shown reviews of a person have each number of stars.
create index reviews_of_person_by_stars on public.reviews (reviewee_id, rating, visible_from);
create index reviews_hidden_of_reviewer on public.reviews (reviewer_id) where hidden_at is not null;
create index reviews_shown_by_person on public.reviews (reviewer_id, visible_from) where hidden_at is null;

-- The booking of a review, locked. A definer, because the writer may be neither party.
create function private.booking_for_review(booking uuid) returns public.bookings
language sql security definer set search_path = '' as $$
  select * from public.bookings where id = booking for no key update
$$;

-- Before a review is written.
create function private.before_review_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  new := private.tidy_review(new);
  perform private.require(new.rating between private.rule('limits.reviewStars.min') and private.rule('limits.reviewStars.max'),
    'review.rating_out_of_range', 'rating');
  perform private.require(coalesce(length(new.comment), 0) <= private.rule('limits.reviewComment.max'),
    'review.comment_too_long', 'comment');
  perform private.require_active_account();
  perform private.allow(not private.is_client() or new.reviewer_id = auth.uid(), 'review.not_own');
  new := private.check_reviewed_booking(new);
  return new;
end $$;

create trigger before_review_change before insert on public.reviews
for each row execute function private.before_review_change();

-- Trims the comment; an empty one becomes null.
create function private.tidy_review(review public.reviews) returns public.reviews
language plpgsql immutable set search_path = '' as $$
begin
  review.comment := nullif(private.trimmed(review.comment), '');
  return review;
end $$;

-- Requires a party of a completed booking, in time and once; sets task, reviewee and when a lone review becomes visible.
create function private.check_reviewed_booking(review public.reviews) returns public.reviews
language plpgsql set search_path = '' as $$
declare
  not_given constant uuid := '00000000-0000-0000-0000-000000000000'; -- the columns' default
  booking constant public.bookings := private.booking_for_review(review.booking_id);
  other constant uuid := case when review.reviewer_id = booking.task_giver_id then booking.task_doer_id
    else booking.task_giver_id end;
  ends constant timestamptz := private.review_ends(review.booking_id, private.confirmation_from(booking));
begin
  perform private.allow(coalesce(review.reviewer_id in (booking.task_giver_id, booking.task_doer_id), false),
    'review.not_party');
  perform private.require(not private.is_account_deleted(other),
    'review.person_deleted', 'booking_id');
  perform private.require(booking.status = 'completed', 'review.not_completed', 'booking_id');
  perform private.require(ends < 'infinity', 'review.complaint_open', 'booking_id');
  perform private.require(now() < ends, case
    when exists (select from public.complaints where booking_id = review.booking_id)
      then 'review.too_late_after_decision'
    when private.confirmation_from(booking) > booking.completed_at
      then 'review.too_late_after_date'
    else 'review.too_late_after_completion' end, 'booking_id');
  perform private.require(not exists (select from public.reviews
    where booking_id = review.booking_id and reviewer_id = review.reviewer_id),
    'review.already_written', 'booking_id');
  perform private.require(coalesce(review.reviewee_id, not_given) in (not_given, other),
    'review.reviewee_invalid', 'reviewee_id');
  perform private.require(coalesce(review.task_id, not_given) in (not_given, booking.task_id),
    'review.task_invalid', 'task_id');
  review.task_id := booking.task_id;
  review.reviewee_id := other;
  review.visible_from := ends;
  return review;
end $$;

-- After a review is written.
create function private.after_review_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_reviews(new);
  return null;
end $$;

create trigger after_review_change after insert on public.reviews
for each row execute function private.after_review_change();

-- Shows both reviews once the second is written; the schedule shows a single one when its time is over.
create function private.publish_reviews(review public.reviews) returns void
language plpgsql set search_path = '' as $$
begin
  if (select count(*) from public.reviews where booking_id = review.booking_id) = 2 then
    update public.reviews set visible_from = now() where booking_id = review.booking_id;
    perform private.announce_reviews(review.booking_id);
  else
    perform private.schedule_tick(review.visible_from);
  end if;
end $$;

-- Notifies the reviewees and recounts their ratings, in the order of their ids, so that concurrent recounts cannot deadlock.
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
      'person', private.named(review.reviewer_id),
      'task', (select title from public.tasks where id = review.task_id)), '/profile/' || review.reviewee_id);
  end loop;
end $$;

-- Shows the reviews of one booking whose 14 days are over, or asks for missing ones. Called by run_scheduled; returns 0 when
-- nothing is due.
create function private.announce_old_reviews() returns integer
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

-- Schedules the request for reviews an hour after the money of completed work leaves escrow; once for the visits of a series.
create function private.request_reviews(booking uuid) returns void
language plpgsql set search_path = '' as $$
begin
  insert into private.review_requests (booking_id)
  select b.id from public.bookings b where b.id = booking and b.status = 'completed' and not exists (
    select from public.bookings o join private.review_requests r on r.booking_id = o.id where o.series_id = b.series_id)
  on conflict do nothing;
  if found then
    perform private.schedule_tick(now() + interval '1 hour');
  end if;
end $$;

-- Asks for the reviews of one booking; callers repeat until it returns 0.
create function private.ask_for_reviews() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
  booking public.bookings;
  writer uuid;
  other uuid;
begin
  select booking_id into due from private.review_requests where not asked and ask_at <= now()
  order by ask_at, booking_id limit 1 for no key update skip locked;
  if not found then
    return 0;
  end if;
  update private.review_requests set asked = true where booking_id = due;
  select * into strict booking from public.bookings where id = due;
  foreach writer in array array[booking.task_giver_id, booking.task_doer_id] loop
    other := case writer when booking.task_giver_id then booking.task_doer_id else booking.task_giver_id end;
    if not private.is_account_deleted(writer) and not private.is_account_deleted(other) and now() < private.review_ends(due, private.confirmation_from(booking))
        and not exists (select from public.reviews where booking_id = due and reviewer_id = writer) then
      perform private.notify_person(writer, 'review_asked', jsonb_build_object(
        'person', private.named(other),
        'task', (select title from public.tasks where id = booking.task_id)),
        -- The parameter `part` of web/lib/paths.ts.
        private.booking_link(due) || '&part=review');
    end if;
  end loop;
  return 1;
end $$;

-- How many shown reviews of a person have each number of stars, best first.
create function public.review_counts(person uuid) returns table (stars integer, count integer)
language sql stable set search_path = '' as $$
  select rating, count(*)::int from public.reviews
  where reviewee_id = person and visible_from <= now() group by rating order by rating desc
$$;

-- After a complaint the time to review runs from the decision: reviews wait for it, and after a decision more than 14 days past
-- completion nobody would have time left.

-- Until when a completed booking can be reviewed, which is when a lone review is shown; infinity while a complaint is undecided.
create function private.review_ends(booking uuid, completed_at timestamptz) returns timestamptz
language sql stable security definer set search_path = '' as $$
  select coalesce((select coalesce(c.decided_at, 'infinity') from public.complaints c where c.booking_id = booking), completed_at)
    + make_interval(days => private.rule('limits.reviewDays'))
$$;

-- Postpones the publication of a review from before the complaint as long as the other party can write one.
create function private.hold_reviews(booking uuid) returns void
language plpgsql set search_path = '' as $$
declare
  ends constant timestamptz := private.review_ends(booking, null);
begin
  update public.reviews set visible_from = ends where booking_id = booking and not announced;
  if found and ends < 'infinity' then
    perform private.schedule_tick(ends);
  end if;
end $$;

-- Whether the person has deleted their account: nobody is asked to review them, and nobody can.
create function private.is_account_deleted(person uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from private.profiles where id = person and deleted_at is not null)
$$;

-- Withdraws requests made before the account was deleted: in the bell, and in e-mails that are not written yet.
create function private.withdraw_review_requests(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.notifications n using public.bookings b
  where n.key = 'review_asked' and person in (b.task_giver_id, b.task_doer_id)
    and n.user_id in (b.task_giver_id, b.task_doer_id) and n.link like private.booking_link(b.id) || '%';
  delete from private.email_events e using public.bookings b
  where e.key = 'review_asked' and e.email_id is null and person in (b.task_giver_id, b.task_doer_id) 
    and e.person_id in (b.task_giver_id, b.task_doer_id) and e.link like private.booking_link(b.id) || '%';
end $$;

create policy "participants review as themselves" on public.reviews for insert to authenticated
with check (reviewer_id = (select auth.uid()));

create policy "deleted accounts cannot write reviews" on public.reviews as restrictive for insert to authenticated
with check ((select private.has_account()));

-- Nobody reads a review of themselves before it is shown, not even an administrator who is a party to the booking.
create policy "anyone reads shown reviews, writers theirs, admins of others" on public.reviews
for select to anon, authenticated
using (visible_from <= now() or reviewer_id = (select auth.uid())
  or (reviewee_id <> (select auth.uid()) and (select private.is_admin())));

create policy "hidden reviews only for writer and admins" on public.reviews as restrictive
for select to anon, authenticated
using (hidden_at is null or reviewer_id = (select auth.uid()) or (select private.is_admin()));

create policy "third-party applications read no reviews" on public.reviews as restrictive for select to anon, authenticated
using (not (select private.is_application()));

grant select on public.reviews to anon;
grant select, insert (booking_id, task_id, reviewer_id, reviewee_id, rating, comment) on public.reviews to authenticated;
grant execute on function
  private.tidy_review(public.reviews), private.check_reviewed_booking(public.reviews), private.booking_for_review(uuid),
  private.review_ends(uuid, timestamp with time zone), private.is_account_deleted(uuid)
to authenticated, service_role;
grant execute on function
  public.review_counts(uuid)
to anon, authenticated;
