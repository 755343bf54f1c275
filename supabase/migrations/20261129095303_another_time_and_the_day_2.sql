-- another time and the day: what supabase/schemas define and earlier migrations do not, part 2

set check_function_bodies = off;

create table public.no_shows (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null references public.bookings (id) on delete cascade,
  -- The defaults make the columns optional on insert.
  task_giver_id uuid not null default '00000000-0000-0000-0000-000000000000',
  task_doer_id uuid not null default '00000000-0000-0000-0000-000000000000',
  reported_by uuid not null,
  words text not null,
  photos text[] not null default '{}',
  state text not null default 'open' check (state in ('open', 'confirmed', 'objected', 'withdrawn', 'lapsed', 'ended')),
  answer_by timestamptz not null default now(),
  answer text,
  answer_photos text[] not null default '{}',
  created_at timestamptz not null default now(),
  answered_at timestamptz
);
alter table public.no_shows enable row level security;

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

create function private.after_no_show_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and new.state = old.state then
    return null;
  end if;
  if new.state = 'open' then
    perform private.schedule_tick(new.answer_by);
  elsif new.state in ('confirmed', 'lapsed') then
    perform private.cancel_missed_booking(new);
  elsif new.state = 'objected' then
    perform private.open_no_show_complaint(new);
  end if;
  perform private.notify_no_show(new);
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

create or replace function private.before_booking_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  if new.status = old.status and not private.is_erasing() then
    perform private.require(new.completion_notes is not distinct from old.completion_notes,
      'booking.notes_not_allowed', 'completion_notes');
    perform private.require(new.cancellation_reason is not distinct from old.cancellation_reason,
      'booking.cancellation_reason_not_allowed', 'cancellation_reason');
  end if;
  if new.status is distinct from old.status then
    if new.status = 'accepted' then
      perform private.require_active_account();
    end if;
    perform private.check_booking_step(new, old);
  end if;
  new := private.check_offer_step(new, old);
  if new.status is distinct from old.status then
    if new.status = 'accepted' then
      new := private.check_acceptance(new);
    elsif new.status = 'in_progress' then
      new := private.check_start(new);
    elsif new.status = 'completed' then
      new := private.check_completion(new);
    end if;
  end if;
  new := private.check_completion_photos(new, old);
  new := private.check_visit(new, old);
  if new.status is distinct from old.status then
    if new.status = 'cancelled' then
      new := private.check_cancellation(new, old);
    elsif new.status = 'pending' then
      new := private.check_undone_decline(new, old);
    end if;
    new := private.stamp_booking(new);
  end if;
  return new;
end $$;

create function private.before_no_show_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.words := private.trimmed(new.words);
  perform private.require_active_account();
  perform private.allow(new.reported_by = auth.uid(), 'no_show.not_own');
  perform private.check_no_show_words(new.words, 'words');
  perform private.limit_client('no_shows_reported');
  return private.check_no_show(new);
end $$;

create function private.before_no_show_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.answer_photos := coalesce(new.answer_photos, '{}');
  if private.is_erasing() or (new.state, new.answer, new.answer_photos) is not distinct from (old.state, old.answer, old.answer_photos) then
    return new;
  end if;
  if private.is_client() then
    new := private.check_no_show_answer(new, old);
  end if;
  new.answered_at := now();
  return new;
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

create function private.cancel_booking_for(caller uuid, booking_id uuid, reason text, list_again boolean) returns jsonb
language plpgsql set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
  task public.tasks;
  fee numeric(12, 2) := 0;
  refund numeric := 0;
  split record;
  facts jsonb;
  outcome text;
  answer text;
  listing text;
begin
  perform from public.bookings b where b.id = cancel_booking_for.booking_id for no key update;
  booking := private.cancellable_booking(cancel_booking_for.booking_id, caller);
  select * into strict task from public.tasks where id = booking.task_id;
  listing := private.listing_after(booking, not list_again and caller = booking.task_giver_id);

  if booking.status <> 'in_progress' then
    perform private.set_actor(case when caller = booking.task_giver_id then 'giver' else 'tasker' end::private.booking_actor);
    if booking.status = 'pending' and caller = booking.task_giver_id then
      update public.bookings set status = 'rejected' where id = booking.id;
      outcome := 'declined';
    else
      update public.bookings set status = 'cancelled', cancellation_reason = reason where id = booking.id;
      outcome := case when booking.status = 'pending' then 'withdrawn' else 'not_paid' end;
    end if;
    perform private.set_actor(null);
  else
    select * into strict payment from public.payments p where p.booking_id = booking.id for no key update;
    perform private.require(payment.escrow_status = 'held', private.freeze_reason_code(payment), 'booking_id');
    if caller = booking.task_giver_id then
      fee := private.cancellation_fee(payment.amount, payment.total, task.scheduled_date, now());
    end if;
    refund := greatest(payment.total - fee - payment.lost_amount, 0);
    select * into split from private.fees(fee);
    perform private.set_actor('cancellation');
    update public.bookings set status = 'cancelled', cancelled_by = caller, cancellation_reason = reason where id = booking.id;
    perform private.set_actor(null);
    update public.payments set cancellation_fee = fee where id = payment.id;
    perform private.settle_payment(payment.id, 'cancellation', 'refunded', split.payout_amount, payment.total - fee, split.gst);

    facts := jsonb_build_object('person', private.named(caller), 'task', task.title, 'fee', fee, 'refund', refund,
      'listing', private.coded(listing));
    if caller = booking.task_giver_id then
      perform private.notify_person(booking.task_giver_id, 'own_booking_cancelled', facts, '/bookings');
      perform private.notify_person(booking.task_doer_id, 'booking_cancelled_share', jsonb_build_object(
        'person', private.named(caller), 'task', task.title, 'share', split.payout_amount), '/bookings');
    else
      perform private.notify_person(booking.task_giver_id, 'booking_cancelled_refund', facts, '/bookings');
    end if;
    outcome := case when fee > 0 then 'fee' else 'full_refund' end;
  end if;
  if listing = 'closed' then
    update public.tasks set status = 'cancelled', updated_at = now() where id = booking.task_id and status = 'open';
  end if;
  answer := case outcome
    when 'declined' then 'Application declined.'
    when 'withdrawn' then 'Application withdrawn.'
    when 'not_paid' then 'No fee applies, because nothing was paid.'
    when 'fee' then format('A cancellation fee of $%s applies; $%s will be refunded within 5 to 10 business days.',
      to_char(fee, 'FM999999990.00'), to_char(refund, 'FM999999990.00'))
    else format('The full payment of $%s will be refunded within 5 to 10 business days.', to_char(refund, 'FM999999990.00')) end;
  return jsonb_build_object('outcome', outcome, 'message', answer, 'fee_cents', (fee * 100)::bigint, 'refund_cents', (refund * 100)::bigint,
    'listing', listing);
end $$;

create function private.cancel_missed_booking(report public.no_shows) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.cancel_booking_for(private.missing_person(report), report.booking_id, null, false);
end $$;

create function private.cancellable_booking(booking_id uuid, caller uuid) returns public.bookings
language plpgsql stable security definer set search_path = '' as $$
declare
  booking public.bookings;
begin
  select * into booking from public.bookings b where b.id = cancellable_booking.booking_id;
  perform private.require(booking.id is not null and caller in (booking.task_doer_id, booking.task_giver_id),
    'booking.not_found', 'booking_id');
  perform private.require(booking.status in ('pending', 'accepted', 'in_progress'),
    'booking.not_cancellable', 'booking_id');
  return booking;
end $$;

create or replace function private.check_completion(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  booking.completion_notes := nullif(private.trimmed(booking.completion_notes), '');
  perform private.require(coalesce(length(booking.completion_notes), 0) <= private.rule('limits.completionNotes.max'),
    'booking.notes_too_long', 'completion_notes');
  perform private.require(not private.has_open_no_show(booking.id), 'no_show.open', 'status');
  booking.completed_at := now();
  return booking;
end $$;
