-- Steps before and after a payment changes. Later steps are in the files of receipts, payouts, public profiles,
-- reviews and complaints.

-- Before a payment is created.
create function private.before_payment_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require_active_account();
  return new;
end $$;

create trigger before_payment_insert before insert on public.payments
for each row execute function private.before_payment_insert();

-- Before a payment changes.
create function private.before_payment_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    new := private.check_release(new, old);
  else
    new := private.stamp_payment(new);
  end if;
  return new;
end $$;

create trigger before_payment_update before update on public.payments
for each row execute function private.before_payment_update();

-- The code of the error that explains why a payment is frozen.
create function private.freeze_reason_code(payment public.payments) returns text
language sql immutable set search_path = '' as $$
  select case when payment.open_disputes > 0 then 'payment.frozen_by_chargeback'
    when payment.unsettled_loss > 0 then 'payment.frozen_by_loss'
    else 'payment.frozen_by_complaint' end
$$;

-- Applies the rules for a release, which confirms that the work is done: only the giver, of a completed booking whose money
-- is held.
create function private.check_release(payment public.payments, before public.payments) returns public.payments
language plpgsql set search_path = '' as $$
begin
  if payment.escrow_status = before.escrow_status then
    perform private.require(before.escrow_status = 'released', 'payment.unchanged', 'escrow_status');
    return before; -- a second release of the same payment changes nothing
  end if;
  perform private.require(payment.escrow_status = 'released', 'payment.only_release', 'escrow_status');
  perform private.allow(payment.payer_id = auth.uid(), 'payment.release_not_giver');
  perform private.require(before.part_of is null, 'payment.follows_booking', 'escrow_status');
  perform private.require(before.escrow_status = 'held', case before.escrow_status
    when 'pending' then 'payment.not_held'
    when 'frozen' then private.freeze_reason_code(before)
    else 'payment.already_settled' end, 'escrow_status');
  perform private.require(
    exists (select from public.bookings where id = payment.booking_id and status = 'completed'),
    'payment.work_not_completed', 'escrow_status');
  payment.released_at := now();
  payment.updated_at := now();
  return payment;
end $$;

-- Sets updated_at.
create function private.stamp_payment(payment public.payments) returns public.payments
language plpgsql stable set search_path = '' as $$
begin
  payment.updated_at := now();
  return payment;
end $$;

-- After a payment changes.
create function private.after_payment_update() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if old.escrow_status <> new.escrow_status then
    perform private.document_payment(new, old);
  end if;
  if (new.payout_status = 'failed' and old.payout_status <> 'failed')
    or (new.refund_status = 'failed' and old.refund_status <> 'failed')
  then
    perform private.notify_failed_transfer(new, old);
  end if;
  if old.escrow_status = 'held' and new.escrow_status = 'released' and new.part_of is null then
    if new.reduction = 0 then
      perform private.settle_payment(new.id, 'release', 'released', new.payout_amount, 0, new.gst * 2);
    else
      perform private.settle_decision(new, 0, 'released', 'release');
    end if;
    perform private.settle_extras(new.id);
    perform private.complete_task(new.task_id);
    perform private.notify_release(new);
  end if;
  if old.escrow_status <> new.escrow_status and new.escrow_status in ('released', 'refunded') and new.part_of is null then
    perform private.recount_parties(new);
    perform private.request_reviews(new.booking_id);
  end if;
  if old.escrow_status = 'held' and new.escrow_status <> 'held' then
    perform private.mark_confirmation_notice_read(new);
  end if;
  return null;
end $$;

create trigger after_payment_update after update on public.payments
for each row execute function private.after_payment_update();

grant execute on function
  private.freeze_reason_code(payments), private.check_release(public.payments, public.payments), private.stamp_payment(public.payments)
to authenticated, service_role;
