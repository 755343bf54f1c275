-- While money waits: what people read of work whose payment is frozen, and until when an accepted booking is to be paid.

update private.notification_texts set message = 'The bank of the card holder is looking into the payment for "{task}". '
  'The money is frozen: until the bank has decided, nobody can release, refund or split it. '
  'Work that is not done yet can wait; we tell both of you what the bank decides.' where key = 'chargeback_opened';

insert into private.notification_texts (key, kind, title, message, subject, button) values
  ('marked_complete_on_hold', 'payments', 'Task marked complete',
    '{person} marked "{task}" complete. The payment is frozen, so there is nothing to confirm yet; we tell you when it is decided what happens to it.',
    '"{task}" is marked complete; the payment is frozen', 'Open the booking');

-- What follows a step: the task's state, the other applications, the notices.
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
      perform private.notify_person(new.task_giver_id, case when exists (
          select from public.payments where booking_id = new.id and escrow_status = 'frozen')
        then 'marked_complete_on_hold' else 'task_marked_complete' end,
        jsonb_build_object('person', doer_name, 'task', task_title), '/bookings');
    when 'cancelled' then
      update public.tasks set status = 'open', updated_at = now() where id = new.task_id and status = 'assigned';
      perform private.notify_of_cancellation(old.status, new, task_title, by_schedule);
    else null;
  end case;
  return null;
end $$;

-- Until when an accepted booking is to be paid: 14 days after it was accepted, and before the work is to begin; of work that begins
-- within two hours, or has no later time any more, two hours after it was accepted. The twin of web/lib/payBy.ts.
create function private.pay_by(accepted_at timestamptz, scheduled_date timestamptz) returns timestamptz
language sql stable set search_path = '' as $$
  select least(accepted_at + interval '14 days',
    case when scheduled_date is not null then greatest(scheduled_date, accepted_at + interval '2 hours') end)
$$;
-- my_action_items runs as whoever asks.
grant execute on function private.pay_by(timestamptz, timestamptz) to authenticated, service_role;

create or replace function private.schedule_for_booking() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  days integer;
begin
  if new.status = 'completed' then
    foreach days in array array[1, 3, 6, private.rule('limits.releaseAfterDays')] loop
      perform private.schedule_tick(now() + make_interval(days => days));
    end loop;
  elsif new.status = 'accepted' then
    perform private.schedule_tick((select private.pay_by(now(), scheduled_date) from public.tasks where id = new.task_id));
    -- The task is open again when it was not paid.
    perform private.schedule_tick((select scheduled_date + interval '24 hours' from public.tasks where id = new.task_id));
  end if;
  return null;
end $$;

-- Payments that were started and never finished, of bookings whose time to be paid is over: run-scheduled closes
-- them at the provider, then the booking can expire. At most 100.
create or replace function public.overdue_intents() returns table (payment_id uuid, payment_intent_id text)
language sql stable security definer set search_path = '' as $$
  select p.id, p.stripe_payment_intent_id
  from public.bookings b join public.tasks t on t.id = b.task_id join public.payments p on p.booking_id = b.id
  where b.status = 'accepted' and private.has_open_intent(b.id)
    and private.pay_by(b.accepted_at, t.scheduled_date) <= now()
  order by p.id limit 100
$$;

-- Applications that were not answered for 30 days, and accepted bookings that were not paid in time.
create or replace function private.expire_booking() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select b.id into due from public.bookings b join public.tasks t on t.id = b.task_id
  where ((b.status = 'pending' and b.created_at <= now() - interval '30 days')
    or (b.status = 'accepted' and private.pay_by(b.accepted_at, t.scheduled_date) <= now()))
    and not private.has_open_intent(b.id)
  order by b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  perform private.set_actor('schedule');
  update public.bookings set status = 'cancelled' where id = due;
  perform private.set_actor(null);
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
  order by i.rank, i.due_at nulls last, i.title, i.booking_id
  limit 20
$$;
