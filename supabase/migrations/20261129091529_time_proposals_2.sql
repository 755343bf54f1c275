-- time proposals: what supabase/schemas define and earlier migrations do not, part 2

set check_function_bodies = off;

create table public.time_proposals (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null references public.bookings (id) on delete cascade,
  -- The defaults make the columns optional on insert.
  task_giver_id uuid not null default '00000000-0000-0000-0000-000000000000',
  task_doer_id uuid not null default '00000000-0000-0000-0000-000000000000',
  proposed_by uuid not null,
  starts_at timestamptz not null,
  message text,
  state text not null default 'open' check (state in ('open', 'accepted', 'declined', 'withdrawn', 'lapsed')),
  answer_by timestamptz not null default now(),
  before_starts_at timestamptz,
  created_at timestamptz not null default now(),
  answered_at timestamptz
);
alter table public.time_proposals enable row level security;

create or replace function private.after_booking_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_booking(new, old);
  if tg_op = 'INSERT' then
    perform private.notify_application(new);
    perform private.schedule_application_expiry();
  elsif tg_op = 'DELETE' then
    perform private.drop_booking_photos(old);
  elsif new.status <> old.status then
    if new.status = 'accepted' then
      perform private.assign_task(new);
      perform private.notify_acceptance(new);
      perform private.decline_waiting_applications(new.task_id);
    elsif new.status = 'rejected' then
      perform private.notify_not_chosen(new);
    elsif new.status = 'in_progress' then
      perform private.notify_start(new);
    elsif new.status = 'completed' then
      perform private.notify_completion(new);
    elsif new.status = 'cancelled' then
      perform private.reopen_task(new);
      perform private.notify_cancellation(new, old);
    elsif new.status = 'pending' then
      perform private.retract_decline_notice(new, old);
    end if;
    if old.status = 'pending' and new.status in ('rejected', 'cancelled') then
      perform private.open_request_to_everyone(new);
    end if;
    if new.status <> 'in_progress' then
      perform private.recount_party(new, old);
    end if;
    if new.status = 'accepted' then
      perform private.schedule_payment_deadline(new);
    elsif new.status = 'completed' then
      perform private.schedule_confirmation(new);
    end if;
    if new.status in ('completed', 'cancelled') then
      perform private.lapse_time_proposals(new.id);
      perform private.schedule_recount(new);
    elsif new.status = 'in_progress' then
      perform private.schedule_reminder(new);
    end if;
    if old.status = 'accepted' then
      perform private.settle_payment_reminder(new);
    end if;
    -- Applications that are declined because another was accepted do not count.
    if old.status in ('pending', 'rejected') and new.status in ('accepted', 'rejected', 'pending') and not new.passed_over then
      perform private.limit_answers(new.id, new.task_giver_id);
    end if;
  elsif new.counter_state is distinct from old.counter_state then
    perform private.notify_counter(new);
  end if;
  return null;
end $$;

create function private.after_time_proposal_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and new.state = old.state then
    return null;
  end if;
  if new.state = 'accepted' then
    perform private.move_booking(new);
  elsif new.state = 'open' then
    perform private.schedule_tick(new.answer_by);
  end if;
  perform private.notify_time_proposal(new);
  return null;
end $$;

create function private.before_time_proposal_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.message := nullif(private.trimmed(new.message), '');
  perform private.require(coalesce(length(new.message), 0) <= private.rule('limits.timeProposal.message'),
    'time_proposal.message_too_long', 'message', jsonb_build_object('max', private.rule('limits.timeProposal.message')));
  perform private.require_active_account();
  perform private.allow(new.proposed_by = auth.uid(), 'time_proposal.not_own');
  perform private.limit_client('times_proposed');
  return private.check_time_proposal(new);
end $$;

create function private.before_time_proposal_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_erasing() or (new.state = old.state and new.starts_at = old.starts_at) then
    return new;
  end if;
  if private.is_client() then
    perform private.check_proposal_answer(new, old);
  end if;
  new.answered_at := now();
  return new;
end $$;

create or replace function private.can_fit_task(tasker uuid, task public.tasks) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  wanted constant tstzrange := private.task_period(task);
begin
  if wanted is null then
    return true;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('calendar ' || tasker, 0));
  return not exists (
    select from private.clashing_bookings(tasker, wanted, task.public_latitude, task.public_longitude) clash (id)
    join public.bookings b on b.id = clash.id where b.task_id <> task.id);
end $$;

create function private.can_move_booking(booking public.bookings, starts_at timestamptz) returns boolean
language plpgsql set search_path = '' as $$
declare
  task public.tasks := private.lock_task(booking.task_id);
begin
  task.scheduled_date := starts_at;
  return private.can_fit_task(booking.task_doer_id, task);
end $$;

create function private.check_proposal_answer(proposal public.time_proposals, before public.time_proposals) returns void
language plpgsql set search_path = '' as $$
declare
  booking constant public.bookings := private.lock_own_booking(before.booking_id);
begin
  perform private.require_active_account();
  perform private.require(proposal.starts_at = before.starts_at, 'time_proposal.time_differs', 'starts_at');
  perform private.require(before.state = 'open' and before.answer_by > now(), 'time_proposal.not_open', 'state');
  if before.proposed_by = auth.uid() then
    perform private.require(proposal.state = 'withdrawn', 'time_proposal.answer_by_other', 'state');
    return;
  end if;
  perform private.require(proposal.state in ('accepted', 'declined'), 'time_proposal.withdraw_own', 'state');
  if proposal.state = 'declined' then
    return;
  end if;
  perform private.require_movable(booking);
  perform private.require(before.starts_at > now(), 'time_proposal.past', 'starts_at');
  perform private.require(private.can_move_booking(booking, before.starts_at),
    case when booking.task_doer_id = auth.uid() then 'time_proposal.own_clash' else 'booking.tasker_busy' end, 'starts_at');
end $$;

create function private.check_time_proposal(proposed public.time_proposals) returns public.time_proposals
language plpgsql set search_path = '' as $$
declare
  booking constant public.bookings := private.lock_own_booking(proposed.booking_id);
  agreed timestamptz;
begin
  perform private.allow(booking.id is not null, 'time_proposal.not_party');
  perform private.require_movable(booking);
  agreed := (select t.scheduled_date from public.tasks t where t.id = booking.task_id);
  perform private.require(proposed.starts_at > now(), 'time_proposal.past', 'starts_at');
  perform private.require(proposed.starts_at <= now() + make_interval(days => private.rule('limits.timeProposal.daysAhead')),
    'time_proposal.too_late', 'starts_at', jsonb_build_object('days', private.rule('limits.timeProposal.daysAhead')));
  perform private.require(date_trunc('minute', proposed.starts_at) is distinct from date_trunc('minute', agreed),
    'time_proposal.same_time', 'starts_at');
  perform private.require(not exists (select from public.time_proposals p where p.booking_id = booking.id and p.state = 'open'
    and p.answer_by > now()), 'time_proposal.open', 'booking_id');
  perform private.require(proposed.proposed_by <> booking.task_doer_id or private.can_move_booking(booking, proposed.starts_at),
    'time_proposal.own_clash', 'starts_at');
  proposed.task_giver_id := booking.task_giver_id;
  proposed.task_doer_id := booking.task_doer_id;
  proposed.before_starts_at := agreed;
  proposed.state := 'open';
  proposed.answer_by := least(now() + make_interval(hours => private.rule('limits.timeProposal.hours')), proposed.starts_at,
    case when agreed > now() then agreed end);
  perform private.expire_time_proposal(booking.id);
  return proposed;
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
  perform private.erase_questions(person);
  delete from public.application_texts where user_id = person;
  perform private.erase_points(person);
  perform private.erase_hours(person);
  perform private.erase_task_texts(person);
  perform set_config('private.erasing', 'yes', true);
  update public.bookings set message = null, completion_notes = null, offer_reason = null
  where task_doer_id = person and (message is not null or completion_notes is not null or offer_reason is not null);
  update public.bookings set counter_message = null where task_giver_id = person and counter_message is not null;
  update public.time_proposals set message = null where proposed_by = person and message is not null;
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

create function private.expire_time_proposal(of_booking uuid default null) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select p.id into due from public.time_proposals p
  where p.state = 'open' and p.answer_by <= now() and p.booking_id = coalesce(of_booking, p.booking_id)
  order by p.answer_by limit 1 for no key update skip locked;
  if not found then
    return 0;
  end if;
  update public.time_proposals set state = 'lapsed' where id = due;
  return 1;
end $$;

create function private.lapse_time_proposals(booking uuid) returns void
language sql set search_path = '' as $$
  update public.time_proposals set state = 'lapsed' where id in (
    select p.id from public.time_proposals p where p.booking_id = booking and p.state = 'open' for no key update skip locked)
$$;

create function private.lock_own_booking(booking uuid) returns public.bookings
language sql security definer set search_path = '' as $$
  select * from public.bookings b where b.id = booking and auth.uid() in (b.task_giver_id, b.task_doer_id) for no key update
$$;

create function private.move_booking(accepted public.time_proposals) returns void
language plpgsql set search_path = '' as $$
declare
  task public.tasks;
  booking public.bookings;
  pay_by timestamptz;
begin
  update public.tasks t set scheduled_date = accepted.starts_at, updated_at = now() from public.bookings b
  where b.id = accepted.booking_id and t.id = b.task_id returning t.* into strict task;
  update public.bookings b set period = private.task_period(task), updated_at = now() where b.id = accepted.booking_id
  returning * into strict booking;
  update public.notifications set read = true
  where user_id in (booking.task_giver_id, booking.task_doer_id) and not read and key = 'work_reminder'
    and link like private.booking_link(booking.id) || '%';
  if booking.status = 'in_progress' then
    -- They have just agreed on it: work within a day needs no reminder.
    insert into private.work_reminders (booking_id, scheduled_date) select booking.id, task.scheduled_date
    where task.scheduled_date <= now() + interval '24 hours'
    on conflict (booking_id) do update set scheduled_date = excluded.scheduled_date, reminded_at = now();
    perform private.schedule_reminder(booking);
    return;
  end if;
  pay_by := private.pay_by(booking.accepted_at, task.scheduled_date);
  delete from private.pay_reminders r
  where r.booking_id = booking.id and private.pay_reminder_at(booking.accepted_at, pay_by) > now();
  perform private.schedule_tick(private.pay_reminder_at(booking.accepted_at, pay_by));
  perform private.schedule_tick(pay_by);
end $$;

create function private.notify_time_proposal(proposal public.time_proposals) returns void
language plpgsql set search_path = '' as $$
declare
  other constant uuid := case proposal.proposed_by when proposal.task_giver_id then proposal.task_doer_id else proposal.task_giver_id end;
  page constant text := private.booking_link(proposal.booking_id);
  news constant jsonb := jsonb_build_object('task', private.task_title(proposal.booking_id), 'at', proposal.starts_at,
    'when', private.day_and_time(proposal.starts_at));
begin
  if proposal.state = 'open' then
    perform private.notify_person(other, 'time_proposed', news || jsonb_build_object('person', private.named(proposal.proposed_by)), page);
    return;
  end if;
  update public.notifications n set read = true
  where n.user_id = other and not n.read and n.key = 'time_proposed' and n.link like page || '%';
  if proposal.state in ('accepted', 'declined') or (proposal.state = 'lapsed' and proposal.answer_by <= now() and exists (
    select from public.bookings b where b.id = proposal.booking_id and b.status in ('accepted', 'in_progress')))
  then
    perform private.notify_person(proposal.proposed_by, case proposal.state when 'accepted' then 'time_accepted'
      when 'declined' then 'time_declined' else 'time_lapsed' end, news || jsonb_build_object('person', private.named(other)), page);
  else
    delete from private.email_events e where e.person_id = other and e.key = 'time_proposed' and e.email_id is null
      and e.link like page || '%';
  end if;
end $$;

create or replace function private.posted_time(booking public.bookings, scheduled timestamptz) returns timestamptz
language sql stable set search_path = '' as $$
  select case when private.offered_time(booking) is null then private.time_before_proposals(booking.id, scheduled)
    else booking.posted_date end
$$;
