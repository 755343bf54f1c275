-- A job can be marked complete before it was to take place. The time for complaints, for the automatic release and for reviews
-- counts from the later of completion and the agreed end, and the giver is asked whether the work is really done.

-- The later of completion and the agreed end; the agreed start where no duration was agreed. Null before completion. The twin of
-- web/lib/confirmationFrom.ts.
create function private.confirmation_from(booking public.bookings) returns timestamptz
language sql stable set search_path = '' as $$
  select case when booking.completed_at is not null then greatest(booking.completed_at, upper(booking.period),
    (select t.scheduled_date from public.tasks t where t.id = booking.task_id)) end
$$;
-- Complaints and reviews are checked as the person who writes them, and my_action_items runs as its caller.
grant execute on function private.confirmation_from(public.bookings) to authenticated, service_role;

insert into private.notification_texts (key, kind, title, message, subject, button, part) values
  ('task_marked_complete_early', 'payments', 'Is the work already done?',
    '{person} marked "{task}" complete, which was agreed for {when}, Saskatchewan time. Release the payment only once you have seen the work.',
    'Is "{task}" already done?', 'Confirm or complain', 'next');

-- Asks the giver to confirm, unless the payment is frozen.
create function private.notify_completion(booking public.bookings, task_title text, doer_name text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  starts constant timestamptz := (select scheduled_date from public.tasks where id = booking.task_id);
  news constant jsonb := jsonb_build_object('person', doer_name, 'task', task_title);
begin
  if exists (select from public.payments where booking_id = booking.id and escrow_status = 'frozen') then
    perform private.notify_person(booking.task_giver_id, 'marked_complete_on_hold', news, '/bookings');
  elsif starts > now() then
    perform private.notify_person(booking.task_giver_id, 'task_marked_complete_early',
      news || jsonb_build_object('at', starts, 'when', private.day_and_time(starts)), '/bookings');
  else
    perform private.notify_person(booking.task_giver_id, 'task_marked_complete', news, '/bookings');
  end if;
end $$;

-- Effects of a step: the task's state, the other applications, the notices.
create or replace function private.follow_booking() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  task_title text;
  giver_name text := private.person_name(new.task_giver_id);
  doer_name text := private.person_name(new.task_doer_id);
  by_schedule boolean := current_setting('meadowlark.actor', true) = 'schedule';
begin
  select title into task_title from public.tasks where id = new.task_id;

  if tg_op = 'INSERT' then
    perform private.notify_person(new.task_giver_id, case
        when (select is_verified from public.profiles where id = new.task_doer_id) then 'application_received'
        else 'application_received_unverified' end,
      jsonb_build_object('person', doer_name, 'task', task_title), '/bookings');
    return null;
  end if;

  case new.status
    when 'accepted' then
      update public.tasks set status = 'assigned', updated_at = now() where id = new.task_id;
      perform private.notify_person(new.task_doer_id, 'application_accepted',
        jsonb_build_object('person', giver_name, 'task', task_title), '/bookings');
      perform private.decline_waiting_applications(new.task_id);
    when 'rejected' then
      perform private.notify_not_chosen(new, task_title);
    when 'in_progress' then
      perform private.notify_person(new.task_doer_id, 'task_started',
        jsonb_build_object('task', task_title), '/bookings');
    when 'completed' then
      perform private.notify_completion(new, task_title, doer_name);
    when 'cancelled' then
      update public.tasks set status = 'open', updated_at = now() where id = new.task_id and status = 'assigned';
      perform private.notify_of_cancellation(old.status, new, task_title, by_schedule);
    else null;
  end case;
  return null;
end $$;

-- Whether an event that waits to be mailed asks for, or announces, what is over by now.
create or replace function private.is_over(event private.email_events) returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(case
    when event.key in ('application_received', 'application_received_unverified') then b.status <> 'pending'
    when event.key = 'pay_reminder' then b.status <> 'accepted'
    when event.key = 'task_started' then b.status <> 'in_progress'
    when event.key = 'work_reminder' then b.status not in ('accepted', 'in_progress')
    when event.key in ('task_marked_complete', 'task_marked_complete_early', 'confirm_reminder') then p.escrow_status <> 'held'
    when event.key = 'payout_waiting' then p.payout_status <> 'waiting'
    when event.key = 'payout_failed' then p.payout_status = 'sent'
    when event.key = 'complaint_opened' then c.answered_at is not null or c.decided_at is not null
    when event.key = 'complaint_to_decide' then exists (select from public.complaints decided
      where decided.id = substring(event.link from '/complaints/([0-9a-f-]{36})')::uuid and decided.decided_at is not null)
    when event.key = 'review_asked' then exists (
      select from public.reviews r where r.booking_id = b.id and r.reviewer_id = event.person_id)
    when event.key = 'task_asked' then not exists (select from public.tasks t
      where t.id = substring(event.link from '/task/([0-9a-f-]{36})')::uuid and t.status = 'asked')
    when event.key = 'verification_submitted' then not exists (
      select from public.verifications v where v.user_id = event.person_id and v.verification_status = 'pending')
    when event.key = 'verification_waiting' then not exists (select from public.verifications v
      where v.verification_status = 'pending' and private.person_name(v.user_id) = event.params ->> 'person')
    when event.key = 'message_received' then private.unread_messages(event.person_id, event.booking_id) is null
  end, false)
  from (select) as one
    left join public.bookings b on b.id = event.booking_id
    left join public.payments p on p.booking_id = b.id
    left join public.complaints c on c.booking_id = b.id
$$;

create or replace function private.schedule_for_booking() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  days integer;
  starts timestamptz;
  pay_by timestamptz;
begin
  if new.status = 'completed' then
    foreach days in array array[1, 3, 6, private.rule('limits.releaseAfterDays')] loop
      perform private.schedule_tick(private.confirmation_from(new) + make_interval(days => days));
    end loop;
  elsif new.status = 'accepted' then
    select scheduled_date into starts from public.tasks where id = new.task_id;
    pay_by := private.pay_by(now(), starts);
    perform private.schedule_tick(private.pay_reminder_at(now(), pay_by));
    perform private.schedule_tick(pay_by);
    -- The task is open again when it was not paid.
    perform private.schedule_tick(starts + interval '24 hours');
  end if;
  return null;
end $$;

-- Reminders 1, 3 and 6 days after completion; a late run sends one, not all that it missed.
create or replace function private.remind_to_confirm() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
begin
  select p.id, p.payer_id, t.title, reached.count into due
  from public.payments p join public.bookings b on b.id = p.booking_id join public.tasks t on t.id = p.task_id,
    lateral (select count(*) from unnest(array[1, 3, 6]) d where now() >= private.confirmation_from(b) + make_interval(days => d)) reached
  where p.escrow_status = 'held' and b.status = 'completed'
    and now() < private.confirmation_from(b) + make_interval(days => private.rule('limits.releaseAfterDays'))
    and p.reminders < reached.count
  order by p.id limit 1 for no key update of p skip locked;
  if not found then
    return 0;
  end if;
  update public.payments set reminders = due.count where id = due.id;
  perform private.notify_person(due.payer_id, 'confirm_reminder', jsonb_build_object('task', due.title), '/bookings');
  return 1;
end $$;

-- A giver who was silent for 7 days is taken to agree.
create or replace function private.release_by_time() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select p.id into due from public.payments p join public.bookings b on b.id = p.booking_id
  where p.escrow_status = 'held' and b.status = 'completed'
    and now() >= private.confirmation_from(b) + make_interval(days => private.rule('limits.releaseAfterDays'))
  order by p.id limit 1 for no key update of p skip locked;
  if not found then
    return 0;
  end if;
  update public.payments set escrow_status = 'released', released_at = now() where id = due;
  return 1;
end $$;

create or replace function private.check_complaint() returns trigger
language plpgsql set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  -- As the caller sees it: who is no party learns nothing, not even that there is such a booking.
  select * into booking from public.bookings where id = new.booking_id;
  perform private.allow(not private.is_client() or coalesce(booking.task_giver_id = auth.uid(), false),
    'Only the task giver can complain');
  payment := private.lock_payment_of(new.booking_id);
  perform private.require(payment.id is not null, 'Only a paid booking can be complained about', 'booking_id');
  select * into booking from public.bookings where id = new.booking_id;
  perform private.require(booking.status = 'completed',
    'A complaint is possible once the task is marked complete', 'booking_id');
  perform private.require(not exists (select from public.complaints where booking_id = new.booking_id),
    'You have already complained about this booking', 'booking_id');
  perform private.require(payment.escrow_status = 'held', 'The payment was already settled', 'booking_id');
  perform private.require(
    now() < private.confirmation_from(booking) + make_interval(hours => private.rule('limits.complaint.hours')),
    case when private.confirmation_from(booking) > booking.completed_at
      then 'A complaint is possible within 24 hours of the agreed time'
      else 'A complaint is possible within 24 hours of completion' end, 'booking_id');
  new.payment_id := payment.id;
  new.giver_id := payment.payer_id;
  new.tasker_id := payment.payee_id;
  return new;
end $$;

create or replace function private.check_reviewed_booking() returns trigger
language plpgsql set search_path = '' as $$
declare
  not_given constant uuid := '00000000-0000-0000-0000-000000000000'; -- the columns' default
  booking constant public.bookings := private.booking_for_review(new.booking_id);
  other constant uuid := case when new.reviewer_id = booking.task_giver_id then booking.task_doer_id
    else booking.task_giver_id end;
  ends constant timestamptz := private.review_ends(new.booking_id, private.confirmation_from(booking));
begin
  perform private.allow(coalesce(new.reviewer_id in (booking.task_giver_id, booking.task_doer_id), false),
    'Only the two parties of a booking can review it');
  perform private.require(not private.has_left(other),
    'This person has deleted their account, so there is nobody to review any more', 'booking_id');
  perform private.require(booking.status = 'completed', 'Only a completed booking can be reviewed', 'booking_id');
  perform private.require(ends < 'infinity', 'A review can be written once the complaint is decided', 'booking_id');
  perform private.require(now() < ends, case
    when exists (select from public.complaints where booking_id = new.booking_id)
      then 'A review can be written within 14 days of the decision'
    when private.confirmation_from(booking) > booking.completed_at
      then 'A review can be written within 14 days of the agreed time'
    else 'A review can be written within 14 days of completion' end, 'booking_id');
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
    if not private.has_left(writer) and not private.has_left(other) and now() < private.review_ends(due, private.confirmation_from(booking))
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

-- `amount` is in dollars: what is held (confirm), the price agreed on, before fees (pay), the task's price (asked), what the
-- tasker gets (finish, payout_account). `due_at` is when it happens by itself, expires or takes place. `count` is of applications,
-- verifications or complaints. Work whose payment is frozen is not asked for. At most 20 lines.
create or replace function public.my_action_items()
returns table (kind text, count integer, title text, person text, task_id uuid, booking_id uuid, amount numeric, due_at timestamptz)
language sql stable security invoker set search_path = '' as $$
  with me as (select auth.uid() as id), item (rank, kind, count, title, person_id, task_id, booking_id, amount, due_at) as (
    select 1, 'confirm', 1, t.title, b.task_doer_id, t.id, b.id, p.total,
      private.confirmation_from(b) + make_interval(days => private.rule('limits.releaseAfterDays'))
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
      t.id, b.id, null, private.review_ends(b.id, private.confirmation_from(b))
    from me join public.bookings b on (b.task_doer_id = me.id or b.task_giver_id = me.id) and b.status = 'completed'
        and private.confirmation_from(b) > now() - make_interval(days => private.rule('limits.reviewDays'))
      join public.payments p on p.booking_id = b.id and p.escrow_status in ('released', 'refunded')
      join public.tasks t on t.id = b.task_id
    where not exists (select from public.reviews r where r.booking_id = b.id and r.reviewer_id = me.id)
    union all
    select 9, 'review', 1, t.title, case when b.task_doer_id = me.id then b.task_giver_id else b.task_doer_id end,
      t.id, b.id, null, private.review_ends(b.id, private.confirmation_from(b))
    from me join public.complaints c on (c.giver_id = me.id or c.tasker_id = me.id)
        and c.decided_at > now() - make_interval(days => private.rule('limits.reviewDays'))
      join public.bookings b on b.id = c.booking_id and b.status = 'completed'
        and private.confirmation_from(b) <= now() - make_interval(days => private.rule('limits.reviewDays'))
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

-- Work that was marked complete early before this: the release comes later now.
select private.schedule_tick(private.confirmation_from(b) + make_interval(days => d))
from public.bookings b join public.payments p on p.booking_id = b.id and p.escrow_status = 'held',
  unnest(array[1, 3, 6, private.rule('limits.releaseAfterDays')::integer]) d
where b.status = 'completed' and private.confirmation_from(b) > b.completed_at;
