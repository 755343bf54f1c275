-- Nobody is asked for a review of a person who has deleted their account, and nobody can write one. What others read about such a
-- person later says that the account is gone, as what they had read before does.

create function private.has_left(person uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from private.profiles where id = person and deleted_at is not null)
$$;
-- Reviews are checked as whoever writes them.
grant execute on function private.has_left(uuid) to authenticated, service_role;

-- Names in notifications: never empty.
create or replace function private.person_name(person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select coalesce((select full_name from private.profiles where id = person),
    (select 'Deleted user' where private.has_left(person)), 'Someone')
$$;

create or replace function private.check_reviewed_booking() returns trigger
language plpgsql set search_path = '' as $$
declare
  not_given constant uuid := '00000000-0000-0000-0000-000000000000'; -- the columns' default
  booking constant public.bookings := private.booking_for_review(new.booking_id);
  other constant uuid := case when new.reviewer_id = booking.task_giver_id then booking.task_doer_id
    else booking.task_giver_id end;
  ends constant timestamptz := private.review_ends(new.booking_id, booking.completed_at);
begin
  perform private.allow(coalesce(new.reviewer_id in (booking.task_giver_id, booking.task_doer_id), false),
    'Only the two parties of a booking can review it');
  perform private.require(not private.has_left(other),
    'This person has deleted their account, so there is nobody to review any more', 'booking_id');
  perform private.require(booking.status = 'completed', 'Only a completed booking can be reviewed', 'booking_id');
  perform private.require(ends < 'infinity', 'A review can be written once the complaint is decided', 'booking_id');
  perform private.require(now() < ends, case
    when ends = booking.completed_at + make_interval(days => private.rule('limits.reviewDays'))
      then 'A review can be written within 14 days of completion'
    else 'A review can be written within 14 days of the decision' end, 'booking_id');
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

create or replace function private.ask_for_reviews() returns integer
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
    if not private.has_left(writer) and not private.has_left(other) and now() < private.review_ends(due, booking.completed_at)
        and not exists (select from public.reviews where booking_id = due and reviewer_id = writer) then
      perform private.notify_person(writer, 'review_asked', jsonb_build_object(
        'person', private.person_name(other),
        'task', (select title from public.tasks where id = booking.task_id)),
        -- The parameter `part` of web/lib/paths.ts.
        private.booking_link(due) || '&part=review');
    end if;
  end loop;
  return 1;
end $$;

-- Takes back what was asked for before: at the bell, and in e-mails that are not written yet.
create function private.forget_review_requests() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.notifications n using public.bookings b
  where n.key = 'review_asked' and new.id in (b.task_giver_id, b.task_doer_id)
    and n.user_id in (b.task_giver_id, b.task_doer_id) and n.link like private.booking_link(b.id) || '%';
  delete from private.email_events e using public.bookings b
  where e.key = 'review_asked' and e.email_id is null and new.id in (b.task_giver_id, b.task_doer_id) 
    and e.person_id in (b.task_giver_id, b.task_doer_id) and e.link like private.booking_link(b.id) || '%';
  return null;
end $$;
create trigger forget_review_requests after update of deleted_at on private.profiles
for each row when (new.deleted_at is not null) execute function private.forget_review_requests();

-- The same of those who have left before this.
delete from public.notifications n using public.bookings b, private.profiles p
where n.key = 'review_asked' and n.link like private.booking_link(b.id) || '%' and p.deleted_at is not null
  and p.id in (b.task_giver_id, b.task_doer_id) and n.user_id in (b.task_giver_id, b.task_doer_id);

-- `amount` is in dollars: what is held (confirm), the price agreed on, before fees (pay), the task's price (asked), what the
-- tasker gets (finish, payout_account). `due_at` is when it happens by itself, expires or takes place. `count` is of applications,
-- verifications or complaints. Work whose payment is frozen is not asked for. At most 20 lines.
create or replace function public.my_action_items()
returns table (kind text, count integer, title text, person text, task_id uuid, booking_id uuid, amount numeric, due_at timestamptz)
language sql stable security invoker set search_path = '' as $$
  with me as (select auth.uid() as id), item (rank, kind, count, title, person_id, task_id, booking_id, amount, due_at) as (
    select 1, 'confirm', 1, t.title, b.task_doer_id, t.id, b.id, p.total,
      b.completed_at + make_interval(days => private.rule('limits.releaseAfterDays'))
    from me join public.payments p on p.payer_id = me.id and p.escrow_status = 'held'
      join public.bookings b on b.id = p.booking_id and b.status = 'completed' join public.tasks t on t.id = b.task_id
    where p.open_disputes = 0
    union all
    select 2, 'answer_complaint', 1, t.title, c.giver_id, t.id, b.id, null,
      c.created_at + make_interval(hours => private.rule('limits.complaint.answerHours'))
    from me join public.complaints c on c.tasker_id = me.id and c.answer is null and c.decision is null
      join public.bookings b on b.id = c.booking_id join public.tasks t on t.id = b.task_id
    union all
    select 3, 'pay', 1, t.title, b.task_doer_id, t.id, b.id, b.agreed_amount,
      private.pay_by(b.accepted_at, t.scheduled_date)
    from me join public.bookings b on b.task_giver_id = me.id and b.status = 'accepted'
      join public.tasks t on t.id = b.task_id
    union all
    select 4, 'finish', 1, t.title, b.task_giver_id, t.id, b.id, p.payout_amount, t.scheduled_date
    from me join public.bookings b on b.task_doer_id = me.id and b.status = 'in_progress'
      join public.tasks t on t.id = b.task_id join public.payments p on p.booking_id = b.id
    where p.escrow_status <> 'frozen' and (t.scheduled_date <= now() or t.scheduled_date is null)
    union all
    select 5, 'asked', 1, t.title, t.task_giver_id, t.id, null, t.pay_amount, t.asked_until
    from me join public.tasks t on t.asked_tasker_id = me.id and t.status = 'asked'
    where not exists (select from public.bookings b where b.task_id = t.id and b.task_doer_id = me.id and b.status = 'pending')
    union all
    select 6, 'choose', count(*)::integer, t.title, null, t.id, null, null, null
    from me join public.bookings b on b.task_giver_id = me.id and b.status = 'pending'
      join public.tasks t on t.id = b.task_id
    group by t.id, t.title
    union all
    select 7, 'payout_account', count(*)::integer, null, null, null, null, sum(p.payout_amount), null
    from me join public.payments p on p.payee_id = me.id and p.escrow_status = 'released' and p.payout_status = 'waiting'
    having count(*) > 0
    union all
    select 8, 'work_ahead', 1, t.title, case when b.task_doer_id = me.id then b.task_giver_id else b.task_doer_id end,
      t.id, b.id, null, t.scheduled_date
    from me join public.bookings b on (b.task_doer_id = me.id or b.task_giver_id = me.id) and b.status = 'in_progress'
      join public.tasks t on t.id = b.task_id join public.payments p on p.booking_id = b.id and p.escrow_status <> 'frozen'
    where t.scheduled_date > now() and t.scheduled_date < now() + interval '7 days'
    union all
    select 9, 'review', 1, t.title, case when b.task_doer_id = me.id then b.task_giver_id else b.task_doer_id end,
      t.id, b.id, null, private.review_ends(b.id, b.completed_at)
    from me join public.bookings b on (b.task_doer_id = me.id or b.task_giver_id = me.id) and b.status = 'completed'
        and b.completed_at > now() - make_interval(days => private.rule('limits.reviewDays'))
      join public.payments p on p.booking_id = b.id and p.escrow_status in ('released', 'refunded')
      join public.tasks t on t.id = b.task_id
    where not exists (select from public.reviews r where r.booking_id = b.id and r.reviewer_id = me.id)
    union all
    select 9, 'review', 1, t.title, case when b.task_doer_id = me.id then b.task_giver_id else b.task_doer_id end,
      t.id, b.id, null, private.review_ends(b.id, b.completed_at)
    from me join public.complaints c on (c.giver_id = me.id or c.tasker_id = me.id)
        and c.decided_at > now() - make_interval(days => private.rule('limits.reviewDays'))
      join public.bookings b on b.id = c.booking_id and b.status = 'completed'
        and b.completed_at <= now() - make_interval(days => private.rule('limits.reviewDays'))
      join public.payments p on p.booking_id = b.id and p.escrow_status in ('released', 'refunded')
      join public.tasks t on t.id = b.task_id
    where not exists (select from public.reviews r where r.booking_id = b.id and r.reviewer_id = me.id)
    union all
    select 10, case when v.id is null then 'get_verified' when v.verification_status = 'rejected' then 'verification_rejected'
      else 'verification_pending' end, 1, null, null, null, null, null, null
    from me left join public.verifications v on v.user_id = me.id
    where private.has_role('task_doer') and v.verification_status is distinct from 'verified'
    union all
    select 11, 'decide_verifications', count(*)::integer, null, null, null, null, null, null
    from public.verifications v where private.is_admin() and v.verification_status = 'pending' having count(*) > 0
    union all
    select 12, 'decide_complaints', count(*)::integer, null, null, null, null, null, null
    from public.complaints c where private.is_admin() and c.decision is null having count(*) > 0
  )
  select i.kind, i.count, i.title, person.full_name, i.task_id, i.booking_id, i.amount, i.due_at
  from item i left join public.public_profiles person on person.id = i.person_id
  -- Whoever has no name any more has left.
  where i.kind <> 'review' or person.full_name is not null
  order by i.rank, i.due_at nulls last, i.title, i.booking_id
  limit 20
$$;
