-- own booking lock: one function locks the caller's booking
set check_function_bodies = off;

create or replace function private.lock_change(change_id uuid) returns public.booking_changes
language plpgsql set search_path = '' as $$
declare
  found_booking constant uuid := (select c.booking_id from public.booking_changes c where c.id = lock_change.change_id);
  change public.booking_changes;
begin
  perform private.require(private.is_party(found_booking), 'change.not_found', 'change_id');
  perform private.lock_own_booking(found_booking);
  perform private.lock_payment_of(found_booking);
  select * into change from public.booking_changes c where c.id = lock_change.change_id for no key update;
  return change;
end $$;

create or replace function public.give_tip(booking_id uuid, amount numeric) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
  tip public.booking_changes;
begin
  perform private.require_active_account();
  booking := private.lock_own_booking(give_tip.booking_id);
  perform private.require(booking.id is not null, 'booking.not_found', 'booking_id');
  payment := private.lock_payment_of(booking.id);
  perform private.allow(auth.uid() = booking.task_giver_id, 'change.tip_not_giver');
  perform private.require(payment.escrow_status = 'released', 'change.tip_too_early', 'booking_id');
  perform private.require(payment.released_at > now() - make_interval(days => private.rule('limits.tip.days')),
    'change.tip_too_late', 'booking_id', jsonb_build_object('days', private.rule('limits.tip.days')));
  perform private.require(exists (select from private.profiles p where p.id = booking.task_doer_id and p.deleted_at is null),
    'change.person_left', 'booking_id');
  perform private.require((select count(*) from public.booking_changes c where c.booking_id = booking.id and c.kind = 'tip'
    and c.state = 'done') < private.rule('limits.tip.count'), 'change.too_many_tips', 'booking_id',
    jsonb_build_object('max', private.rule('limits.tip.count')));
  perform private.check_change_amount(booking, payment, 'tip', amount);
  select * into tip from public.booking_changes c where c.booking_id = booking.id and c.kind = 'tip' and c.state = 'accepted';
  if tip.amount = give_tip.amount and tip.answer_by > now() then
    return tip.id;
  end if;
  if tip.id is not null then
    update public.booking_changes set state = 'withdrawn' where id = tip.id;
    perform private.close_extra_intent(tip);
  end if;
  insert into public.booking_changes (booking_id, kind, proposed_by, amount, state, answer_by)
  values (booking.id, 'tip', auth.uid(), give_tip.amount, 'accepted',
    now() + make_interval(hours => private.rule('limits.change.hours'))) returning * into tip;
  perform private.schedule_tick(tip.answer_by);
  return tip.id;
end $$;

create or replace function public.propose_change(
  booking_id uuid, kind public.change_kind, amount numeric, reason text default null, photos text[] default '{}'
) returns uuid language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
  words constant text := nullif(private.trimmed(reason), '');
  made public.booking_changes;
begin
  perform private.require_active_account();
  booking := private.lock_own_booking(propose_change.booking_id);
  perform private.require(booking.id is not null, 'booking.not_found', 'booking_id');
  payment := private.lock_payment_of(booking.id);
  perform private.require(kind in ('increase', 'decrease', 'expense'), 'change.kind_invalid', 'kind');
  perform private.allow(kind = 'decrease' or auth.uid() = booking.task_doer_id, 'change.not_tasker');
  if booking.status = 'completed' and payment.escrow_status in ('released', 'refunded') then
    perform private.check_price_open(payment);
  end if;
  perform private.require(booking.status = 'in_progress', 'change.not_under_way', 'booking_id');
  perform private.check_price_open(payment);
  perform private.require(not exists (select from public.booking_changes c where c.booking_id = booking.id
    and c.kind = propose_change.kind and c.state in ('proposed', 'accepted')), 'change.one_at_a_time', 'kind');
  perform private.require((select count(*) from public.booking_changes c where c.booking_id = booking.id)
    < private.rule('limits.change.perBooking'), 'change.too_many', 'kind',
    jsonb_build_object('max', private.rule('limits.change.perBooking')));
  perform private.require(kind <> 'expense' or booking.expense_limit is not null, 'change.no_expense_limit', 'kind');
  perform private.check_change_amount(booking, payment, kind, amount);
  perform private.require(kind = 'decrease' or words is not null, 'change.reason_required', 'reason');
  perform private.require(coalesce(length(words), 0) <= private.rule('limits.change.reason'), 'change.reason_too_long', 'reason',
    jsonb_build_object('max', private.rule('limits.change.reason')));
  perform private.check_photos(coalesce(photos, '{}'), 'booking-photos', booking.id, auth.uid(), 'photos');
  perform private.require(kind <> 'expense' or cardinality(photos) > 0, 'change.receipt_required', 'photos');

  insert into public.booking_changes (booking_id, kind, proposed_by, amount, reason, photos, answer_by)
  values (booking.id, propose_change.kind, auth.uid(), propose_change.amount, words, coalesce(propose_change.photos, '{}'),
    now() + make_interval(hours => private.rule('limits.change.hours'))) returning * into made;
  perform private.notify_change(made, booking);
  perform private.schedule_tick(made.answer_by);
  return made.id;
end $$;

drop function private.require_own_booking(uuid);
