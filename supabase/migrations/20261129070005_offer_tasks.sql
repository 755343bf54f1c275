-- Tasks that take no offers; offers in cancellations and deleted accounts.

set check_function_bodies = off;

create or replace function private.before_task_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' or private.is_edited(new, old) then
    new := private.tidy_task(new);
  end if;
  if private.is_client() then
    new := private.touch_task(new);
  end if;
  if tg_op = 'INSERT' then
    new := private.hold_task(new);
    perform private.require_active_account();
    if private.is_client() then
      perform private.check_task_poster(new);
      perform private.count_new_task(new.asked_tasker_id);
    end if;
    perform private.check_asked_tasker(new);
  elsif tg_op = 'UPDATE' then
    if private.is_client() then
      if new.status = old.status then
        perform private.require_active_giver();
        perform private.limit_task_changes(new.id);
      end if;
      perform private.check_task_is_free(new, old);
      perform private.check_task_step(new, old);
    end if;
    if old.status not in ('open', 'asked') then
      new := private.hold_task(new);
    end if;
  end if;
  if tg_op = 'INSERT' or private.is_edited(new, old) then
    perform private.check_task_title(new, old);
    perform private.check_task_description(new);
    perform private.check_task_category(new);
    perform private.check_task_location(new);
    perform private.check_task_pay(new);
    if new.offers_allowed is null then
      perform private.fail('task.offers_allowed_invalid', 'offers_allowed');
    end if;
    perform private.check_task_tools(new);
    perform private.check_task_schedule(new, old);
    perform private.check_task_duration(new);
    new := private.check_task_photos(new, old);
    new := private.round_pay(new);
    new := private.locate_task(new, old);
  end if;
  new := private.update_request_deadline(new, old);
  return new;
end $$;

create or replace function private.erase_person(person uuid) returns void
language plpgsql set search_path = '' as $$
declare
  booking uuid;
  gone constant text := 'Removed together with the account.';
  obstacle constant text := private.deletion_obstacle(person);
begin
  perform private.require(obstacle is null, obstacle, 'id');

  -- Open work is cancelled first, so that the other parties are notified.
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = person and status = 'open';
  perform private.set_actor('schedule');
  for booking in select id from public.bookings
    where person in (task_doer_id, task_giver_id) and status in ('pending', 'accepted') order by id
  loop
    perform private.set_actor('schedule');
    update public.bookings set status = 'cancelled' where id = booking;
  end loop;
  perform private.set_actor(null);
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = person and status = 'open';

  perform private.erase_name(person);
  perform private.erase_audit(person);
  delete from public.reports where person in (author_id, reporter_id);
  -- Cards first: deleting a card detaches it at the provider.
  delete from public.payment_methods where user_id = person;
  perform private.enqueue_function('erase-account', jsonb_build_object('person', person,
    'account', (select stripe_account_id from public.payout_accounts where user_id = person and account_type <> 'manual')));

  if not exists (select from public.payments p where person in (p.payer_id, p.payee_id)) then
    delete from public.profiles where id = person;
    return;
  end if;
  delete from public.verifications where user_id = person;
  delete from public.user_roles where user_id = person;
  delete from public.suspensions where user_id = person;
  delete from public.notifications where user_id = person;
  delete from public.payment_failures where person_id = person;
  delete from public.payout_accounts where user_id = person;
  delete from private.unsubscribe_tokens where person_id = person;
  delete from public.messages m where m.sender_id = person;
  perform private.erase_saved_searches(person);
  perform private.erase_points(person);
  perform private.erase_task_texts(person);
  perform set_config('private.erasing', 'yes', true);
  update public.bookings set message = null, completion_notes = null, offer_reason = null
  where task_doer_id = person and (message is not null or completion_notes is not null or offer_reason is not null);
  update public.bookings set counter_message = null where task_giver_id = person and counter_message is not null;
  update public.bookings set cancellation_reason = null where cancelled_by = person and cancellation_reason is not null;
  update public.complaints set reason = gone where giver_id = person;
  update public.complaints set answer = gone where tasker_id = person and answer is not null;
  update public.profiles set deleted_at = now(), full_name = null, email = null, phone = null, city = null, bio = null,
    avatar_url = null, skills = '{}', preferred_categories = '{}', experience_years = null, hourly_rate = null,
    availability_status = 'unavailable', verified_by_admin = false, verification_notes = null, verified_at = null,
    verified_by = null, last_active = null
  where id = person;
  -- Also the log entries of the changes above.
  perform private.erase_audit(person);
end $$;

create or replace function private.listing_after(booking public.bookings, closes boolean) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case
    when booking.status = 'pending' then null
    when closes or exists (select from public.tasks t where t.id = booking.task_id
      and private.posted_time(booking, t.scheduled_date) <= now()) then 'closed'
    when private.is_suspended(booking.task_giver_id) then 'on_hold'
    else 'listed_again' end;
end $$;

create or replace function private.task_changes() returns table (what text, columns text[])
language sql immutable set search_path = '' as $$
  values
    ('price', '{pay_amount}'::text[]),
    ('stays', '{pay_amount}'),
    ('time', '{scheduled_date}'),
    ('anytime', '{scheduled_date}'),
    ('place', '{location}'),
    ('duration', '{duration_minutes}'),
    ('work', '{title,description,category}'),
    ('tools', '{tools_provided,tools_description}'),
    ('offers', '{offers_allowed}')
$$;

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
    where not private.is_suspended(me.id)
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
    select 5, 'answer_counter', 1, t.title, t.task_giver_id, t.id, b.id, b.counter_amount, b.answer_by
    from me join public.bookings b on b.task_doer_id = me.id and b.status = 'pending' and b.counter_state = 'open' and b.answer_by > now()
      join public.tasks t on t.id = b.task_id
    union all
    select 6, 'choose', count(*)::integer, t.title, null, t.id, null, null, null
    from me join public.bookings b on b.task_giver_id = me.id and b.status = 'pending'
      join public.tasks t on t.id = b.task_id
    where not private.is_suspended(me.id) and b.counter_state is distinct from 'open'
    group by t.id, t.title
    union all
    select 7, 'payout_account', count(*)::integer, null, null, null, null, sum(p.payout_amount), null
    from me join public.payments p on p.payee_id = me.id and p.escrow_status in ('released', 'refunded') and p.payout_status = 'waiting'
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
    select 10, case when v.id is null then 'get_verified' else 'verification_rejected' end, 1, null, null, null, null, null, null
    from me left join public.verifications v on v.user_id = me.id
    where private.has_role('task_doer') and (v.id is null or v.verification_status = 'rejected')
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
