-- day of work: what supabase/schemas define and earlier migrations do not, part 2

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
      perform private.lapse_no_show(new.id);
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
  else
    perform private.notify_visit(new, old);
  end if;
  return null;
end $$;

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

create function private.check_no_show(report public.no_shows) returns public.no_shows
language plpgsql set search_path = '' as $$
declare
  booking constant public.bookings := private.lock_own_booking(report.booking_id);
  starts timestamptz;
  by_tasker constant boolean := report.reported_by = booking.task_doer_id;
  wait constant integer := private.rule(case when by_tasker then 'limits.noShow.giverAfterMinutes'
    else 'limits.noShow.taskerAfterMinutes' end);
begin
  perform private.allow(booking.id is not null, 'no_show.not_party');
  perform private.require(booking.status = 'in_progress', 'no_show.not_under_way', 'booking_id');
  perform private.require_movable(booking);
  starts := (select t.scheduled_date from public.tasks t where t.id = booking.task_id);
  perform private.require(starts is not null, 'no_show.no_time', 'booking_id');
  perform private.require(not by_tasker or booking.arrived_at is not null, 'visit.not_arrived', 'booking_id');
  perform private.require(now() >= greatest(starts, case when by_tasker then booking.arrived_at end) + make_interval(mins => wait),
    'no_show.too_early', 'booking_id', jsonb_build_object('minutes', wait));
  report.photos := coalesce(report.photos, '{}');
  perform private.require(not by_tasker or report.photos <> '{}', 'no_show.photo_required', 'photos');
  perform private.check_photos(report.photos, 'booking-photos', booking.id, report.reported_by, 'photos');
  report.task_giver_id := booking.task_giver_id;
  report.task_doer_id := booking.task_doer_id;
  report.state := 'open';
  report.answer := null;
  report.answer_by := now() + make_interval(hours => private.rule('limits.noShow.answerHours'));
  return report;
end $$;

create function private.check_no_show_answer(report public.no_shows, before public.no_shows) returns public.no_shows
language plpgsql set search_path = '' as $$
declare
  booking constant public.bookings := private.lock_own_booking(before.booking_id);
begin
  perform private.require(before.state = 'open' and before.answer_by > now() and booking.status = 'in_progress', 'no_show.not_open', 'state');
  if before.reported_by = auth.uid() then
    perform private.require(report.state = 'withdrawn' and report.answer is null and report.answer_photos = '{}',
      'no_show.answer_by_other', 'state');
    return report;
  end if;
  perform private.require(report.state in ('confirmed', 'objected'), 'no_show.withdraw_own', 'state');
  perform private.require_held_money(booking.id);
  if report.state = 'confirmed' then
    report.answer := null;
    report.answer_photos := '{}';
    return report;
  end if;
  report.answer := private.trimmed(report.answer);
  perform private.check_no_show_words(report.answer, 'answer');
  perform private.check_photos(report.answer_photos, 'booking-photos', booking.id, auth.uid(), 'answer_photos');
  return report;
end $$;

create function private.check_no_show_words(words text, field text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.require(private.visible_length(words) >= private.rule('limits.complaint.min'), 'no_show.words_too_short', field,
    jsonb_build_object('min', private.rule('limits.complaint.min')));
  perform private.require(length(words) <= private.rule('limits.complaint.max'), 'no_show.words_too_long', field,
    jsonb_build_object('max', private.rule('limits.complaint.max')));
end $$;
