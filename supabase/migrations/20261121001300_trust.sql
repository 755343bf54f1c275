-- Trust: what the database says of a person, computed from the events themselves, in one function. Profiles
-- keep a copy for lists and orders; recount_person refreshes it whenever an event changes it.

-- The record of a person:
--   rating, total_reviews  of the reviews that are shown
--   completed_tasks        jobs done as a tasker that were paid out
--   response_rate          of what a person was asked, the share answered within 24 hours: givers are asked by
--                          applications, taskers by the giver's first message about a booking that is going
--                          on. Counted once answered, or once the booking ended. 100 while nothing counts.
--   on_time_rate           of a tasker's bookings that were to take place, the share marked complete by two
--                          hours after the end of the task (by the end of the day where it has no duration);
--                          a booking that the tasker cancelled after acceptance is never on time.
--   trust_score            50 to start; verified +15, background checked +5, insured +5; stars: 10 for each one
--                          above or below three, in full from five reviews on; +1 for each of ten jobs paid
--                          (done or given); −1 for every 5 points that on_time_rate is below 100, −1 for every
--                          10 of response_rate; never outside 0 to 100.
create function private.record_of(person uuid) returns table (
  rating numeric, total_reviews integer, completed_tasks integer, response_rate integer, on_time_rate integer,
  trust_score integer
) language sql volatile security definer set search_path = '' as $$
  with shown as (
    select coalesce(round(avg(r.rating), 2), 0) as rating, count(*)::int as total
    from public.reviews r where r.reviewee_id = person and r.visible_from <= clock_timestamp()
  ), jobs as (
    select count(*) filter (where p.payee_id = person)::int as done, count(*)::int as paid
    from public.payments p join public.bookings b on b.id = p.booking_id and b.status = 'completed'
    where (p.payee_id = person or p.payer_id = person)
      and p.escrow_status in ('released', 'refunded') and p.payout_amount > 0
  ), asked as (
    select b.created_at as at, b.answered_at as answered
    from public.bookings b where b.task_giver_id = person and b.status <> 'pending'
      and (b.answered_at is not null or b.cancelled_by is distinct from b.task_doer_id)
    union all
    select question.at, answer.at
    from public.bookings b
    cross join lateral (select min(m.created_at) as at from public.messages m
      where m.booking_id = b.id and m.receiver_id = person) question
    cross join lateral (select min(m.created_at) as at from public.messages m
      where m.booking_id = b.id and m.sender_id = person and m.created_at >= question.at) answer
    where b.task_doer_id = person and question.at < coalesce(b.completed_at, b.cancelled_at, 'infinity')
      and (answer.at is not null or b.status in ('completed', 'cancelled'))
  ), answers as (
    select coalesce(round(100.0 * count(*) filter (where answered <= at + interval '24 hours') / nullif(count(*), 0)),
      100)::int as rate from asked
  ), due as (
    select b.status = 'completed' and b.completed_at <= case
        when t.duration_minutes is not null
          then t.scheduled_date + make_interval(mins => t.duration_minutes) + interval '2 hours'
        else (date_trunc('day', t.scheduled_date at time zone 'America/Regina') + interval '1 day') at time zone 'America/Regina'
      end as on_time
    from public.bookings b join public.tasks t on t.id = b.task_id
    where b.task_doer_id = person and (
      (b.status = 'completed' and t.scheduled_date is not null)
      or (b.status = 'cancelled' and b.accepted_at is not null and b.cancelled_by = person))
  ), punctual as (
    select coalesce(round(100.0 * count(*) filter (where on_time) / nullif(count(*), 0)), 100)::int as rate from due
  )
  select shown.rating, shown.total, jobs.done, answers.rate, punctual.rate,
    least(100, greatest(0, round(50
      + case when p.is_verified then 15 else 0 end
      + case when p.background_checked then 5 else 0 end
      + case when p.insured then 5 else 0 end
      + case when shown.total > 0 then (shown.rating - 3) * 10 * least(shown.total, 5) / 5.0 else 0 end
      + least(10, jobs.paid)
      - (100 - punctual.rate) / 5.0
      - (100 - answers.rate) / 10.0)))::int
  from shown, jobs, answers, punctual, public.profiles p where p.id = person
$$;

-- Refreshes a person's copy. The row is locked first, so that two recounts at once cannot each miss the other's
-- event; who recounts several people does so in the order of their ids.
create function private.recount_person(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform from public.profiles where id = person for no key update;
  update public.profiles p set rating = r.rating, total_reviews = r.total_reviews,
    completed_tasks = r.completed_tasks, response_rate = r.response_rate, on_time_rate = r.on_time_rate,
    trust_score = r.trust_score
  from private.record_of(person) r
  where p.id = person
    and (p.rating, p.total_reviews, p.completed_tasks, p.response_rate, p.on_time_rate, p.trust_score)
      is distinct from (r.rating, r.total_reviews, r.completed_tasks, r.response_rate, r.on_time_rate, r.trust_score);
end $$;

-- The events that change a record, beside reviews (see announce_reviews). One person for each step of a
-- booking, two in the order of their ids when its money is settled: two recounts never wait for each other.

create function private.recount_after_booking() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.recount_person(case when old.status = 'pending' then new.task_giver_id else new.task_doer_id end);
  return null;
end $$;

create trigger recount_after_booking after update of status on public.bookings
for each row when (old.status <> new.status and new.status <> 'in_progress')
execute function private.recount_after_booking();

create function private.recount_after_payment() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from public.bookings where id = new.booking_id and status = 'completed') then
    perform private.recount_person(least(new.payer_id, new.payee_id));
    perform private.recount_person(greatest(new.payer_id, new.payee_id));
  end if;
  return null;
end $$;

create trigger recount_after_payment after update of escrow_status on public.payments
for each row when (old.escrow_status <> new.escrow_status and new.escrow_status in ('released', 'refunded'))
execute function private.recount_after_payment();

-- The giver's first message asks, the tasker's first one after it answers; others change nothing. Messages of one
-- booking are looked at one after the other, or two at once would not know which came first.
create function private.recount_after_message() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  tasker uuid;
  asked timestamptz;
begin
  select task_doer_id into strict tasker from public.bookings where id = new.booking_id for no key update;
  select min(created_at) into asked from public.messages where booking_id = new.booking_id and receiver_id = tasker;
  if asked is not null and (new.created_at = asked or not exists (select from public.messages m
      where m.booking_id = new.booking_id and m.sender_id = new.sender_id and m.id <> new.id
        and m.created_at >= asked)) then
    perform private.recount_person(tasker);
  end if;
  return null;
end $$;

create trigger recount_after_message after insert on public.messages
for each row execute function private.recount_after_message();

create function private.recount_after_verification() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.recount_person(new.id);
  return null;
end $$;

create trigger recount_after_verification after update on public.profiles
for each row when ((old.is_verified, old.verified_by_admin, old.background_checked, old.insured)
  is distinct from (new.is_verified, new.verified_by_admin, new.background_checked, new.insured))
execute function private.recount_after_verification();

-- Badges, each with its rule.
create view public.badges as
select p.id as user_id, b.badge
from public.profiles p cross join lateral (values
  ('first_job', p.completed_tasks >= 1),
  ('ten_jobs', p.completed_tasks >= 10),
  ('fifty_jobs', p.completed_tasks >= 50),
  ('top_rated', p.rating >= 4.8 and p.total_reviews >= 5),
  ('quick_to_respond', p.response_rate >= 95 and p.completed_tasks >= 3),
  ('always_on_time', p.on_time_rate = 100 and p.completed_tasks >= 3),
  ('verified', p.is_verified),
  ('insured', p.insured)
) as b (badge, earned)
where b.earned;
comment on view public.badges is 'The badges that people have earned';
revoke all on public.badges from anon, authenticated;
grant select on public.badges to anon, authenticated;
