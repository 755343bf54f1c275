-- Changes of a price after the agreement: functions, part 7.
set check_function_bodies = off;

create function public.prepare_change_payment(change_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  main public.payments;
  change public.booking_changes;
  extra public.payments;
begin
  change := private.lock_change(prepare_change_payment.change_id);
  select * into main from public.payments p where p.booking_id = change.booking_id;
  perform private.allow(main.payer_id = auth.uid(), 'payment.not_giver');
  perform private.require(change.state <> 'done' or change.kind = 'decrease', 'change.already_paid', 'change_id');
  perform private.require(change.kind <> 'decrease' and change.state = 'accepted', 'change.not_open', 'change_id');
  perform private.require(change.answer_by > now(), 'change.lapsed', 'change_id');
  if change.kind <> 'tip' then
    perform private.check_price_open(main);
  end if;
  if change.payment_id is null then
    insert into public.payments (part_of, purpose, task_id, payer_id, payee_id, amount, platform_fee, gst, total, payout_amount)
    select main.id, change.kind::text::public.payment_purpose, main.task_id, main.payer_id, main.payee_id, change.amount,
      f.platform_fee, f.gst, f.total, f.payout_amount
    from private.fees_of(change.kind::text, change.amount) f returning * into extra;
    update public.booking_changes set payment_id = extra.id where id = change.id;
  else
    select * into strict extra from public.payments p where p.id = change.payment_id for no key update;
  end if;
  return private.payment_order(extra);
end $$;

create or replace function public.prepare_payment(booking_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  select * into booking from public.bookings b where b.id = prepare_payment.booking_id for no key update;
  perform private.require(booking.id is not null and booking.task_giver_id = auth.uid()
    or booking.task_doer_id = auth.uid(), 'booking.not_found', 'booking_id');
  perform private.allow(booking.task_giver_id = auth.uid(), 'payment.not_giver');
  perform private.require(booking.status = 'accepted', case when booking.status in ('in_progress', 'completed')
    then 'payment.already_paid' else 'payment.booking_not_accepted' end, 'booking_id');

  insert into public.payments (booking_id, task_id, payer_id, payee_id, amount, platform_fee, gst, total, payout_amount)
  select booking.id, booking.task_id, booking.task_giver_id, booking.task_doer_id, booking.agreed_amount,
    f.platform_fee, f.gst, f.total, f.payout_amount
  from private.fees(booking.agreed_amount) f
  on conflict on constraint payments_booking_id_key do nothing;
  select * into strict payment from public.payments p where p.booking_id = booking.id for no key update;
  perform private.require(payment.escrow_status = 'pending', 'payment.already_paid', 'booking_id');

  return private.payment_order(payment);
end $$;

create function public.propose_change(
  booking_id uuid, kind public.change_kind, amount numeric, reason text default null, photos text[] default '{}'
) returns uuid language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
  words constant text := nullif(private.trimmed(reason), '');
  made public.booking_changes;
begin
  perform private.require_active_account();
  booking := private.require_own_booking(propose_change.booking_id);
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

create function public.set_expense_limit(booking_id uuid, amount numeric) returns void
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  used numeric;
  highest constant numeric := private.rule('limits.expenses.max');
begin
  booking := private.require_own_booking(set_expense_limit.booking_id);
  perform private.require_active_account();
  perform private.allow(auth.uid() = booking.task_giver_id, 'change.limit_not_giver');
  perform private.require(booking.status in ('accepted', 'in_progress'), 'change.not_under_way', 'booking_id');
  used := private.changed_amount(booking.id, 'expense');
  perform private.require(coalesce(amount, 0) >= used and coalesce(amount, 1) > 0, 'change.limit_too_low', 'amount',
    jsonb_build_object('min', greatest(used, private.rule('limits.change.min'))));
  perform private.require(coalesce(amount, 0) <= highest, 'change.amount_too_high', 'amount', jsonb_build_object('max', highest));
  perform private.require(amount is null or amount = round(amount, 2), 'change.amount_too_precise', 'amount');
  if booking.expense_limit is not distinct from amount then
    return;
  end if;
  update public.bookings set expense_limit = amount where id = booking.id;
  if amount is not null then
    perform private.notify_person(booking.task_doer_id, 'expense_limit_set', jsonb_build_object('amount', round(amount, 2),
      'person', private.named(booking.task_giver_id), 'task', private.task_title(booking.id)), private.booking_link(booking.id));
  end if;
end $$;

create function public.withdraw_change(change_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  change public.booking_changes;
begin
  change := private.lock_change(withdraw_change.change_id);
  perform private.allow(auth.uid() = change.proposed_by, 'change.not_own');
  if change.state = 'withdrawn' then
    return;
  end if;
  perform private.require(change.state in ('proposed', 'accepted'), 'change.not_open', 'change_id');
  update public.booking_changes set state = 'withdrawn' where id = change.id returning * into change;
  perform private.close_extra_intent(change);
end $$;

revoke all on public.booking_changes from service_role;

grant select on public.booking_changes to authenticated;

grant select on public.booking_changes to service_role;

grant execute on function public.answer_change(uuid,boolean,numeric) to authenticated;

grant execute on function public.answer_change(uuid,boolean,numeric) to service_role;

grant execute on function public.decide_complaint(uuid,public.complaint_decision,numeric,text,jsonb,boolean) to authenticated;

grant execute on function public.decide_complaint(uuid,public.complaint_decision,numeric,text,jsonb,boolean) to service_role;

grant execute on function public.give_tip(uuid,numeric) to authenticated;

grant execute on function public.give_tip(uuid,numeric) to service_role;

grant execute on function public.prepare_change_payment(uuid) to authenticated;

grant execute on function public.prepare_change_payment(uuid) to service_role;

grant execute on function public.propose_change(uuid,public.change_kind,numeric,text,text[]) to authenticated;

grant execute on function public.propose_change(uuid,public.change_kind,numeric,text,text[]) to service_role;

grant execute on function public.set_expense_limit(uuid,numeric) to authenticated;

grant execute on function public.set_expense_limit(uuid,numeric) to service_role;

grant execute on function public.withdraw_change(uuid) to authenticated;

grant execute on function public.withdraw_change(uuid) to service_role;
