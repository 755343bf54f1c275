-- Merges the triggers of payments into one function for each moment, with named steps.
set check_function_bodies = off;

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
  if old.escrow_status = 'held' and new.escrow_status = 'released' then
    perform private.settle_payment(new.id, 'release', 'released', new.payout_amount, 0, new.gst * 2);
    perform private.complete_task(new.task_id);
    perform private.notify_release(new);
  end if;
  if old.escrow_status <> new.escrow_status and new.escrow_status in ('released', 'refunded') then
    perform private.recount_parties(new);
    perform private.request_reviews(new.booking_id);
  end if;
  if old.escrow_status = 'held' and new.escrow_status <> 'held' then
    perform private.mark_confirmation_notice_read(new);
  end if;
  return null;
end $$;

create function private.before_payment_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require_active_account();
  return new;
end $$;

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

create function private.check_release(payment public.payments, before public.payments) returns public.payments
language plpgsql set search_path = '' as $$
begin
  if payment.escrow_status = before.escrow_status then
    perform private.require(before.escrow_status = 'released', 'payment.unchanged', 'escrow_status');
    return before; -- a second release of the same payment changes nothing
  end if;
  perform private.require(payment.escrow_status = 'released', 'payment.only_release', 'escrow_status');
  perform private.allow(payment.payer_id = auth.uid(), 'payment.release_not_giver');
  perform private.require(before.escrow_status = 'held', case before.escrow_status
    when 'pending' then 'payment.not_held'
    when 'frozen' then private.frozen_code(before)
    else 'payment.already_settled' end, 'escrow_status');
  perform private.require(
    exists (select from public.bookings where id = payment.booking_id and status = 'completed'),
    'payment.work_not_completed', 'escrow_status');
  payment.released_at := now();
  payment.updated_at := now();
  return payment;
end $$;

create function private.complete_task(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.tasks set status = 'completed', updated_at = now() where id = task;
end $$;

create function private.document_payment(payment public.payments, before public.payments) returns void
language plpgsql set search_path = '' as $$
begin
  if before.escrow_status = 'pending' then
    perform private.issue_receipt(payment, 'receipt');
  end if;
  if payment.escrow_status in ('released', 'refunded') and payment.payout_amount > 0 then
    perform private.issue_receipt(payment, 'statement');
  end if;
end $$;

create function private.mark_confirmation_notice_read(payment public.payments) returns void
language plpgsql set search_path = '' as $$
begin
  update public.notifications set read = true
  where user_id = payment.payer_id and not read and link like private.booking_link(payment.booking_id) || '%'
    and key in ('task_marked_complete', 'task_marked_complete_early', 'confirm_reminder');
end $$;

create function private.notify_failed_transfer(payment public.payments, before public.payments) returns void
language plpgsql set search_path = '' as $$
declare
  payout constant boolean := payment.payout_status = 'failed' and before.payout_status <> 'failed';
begin
  perform private.notify_admins('transfer_failed', jsonb_build_object('transfer', case when payout then 'payout' else 'refund' end,
    'amount', case when payout then payment.payout_amount else payment.refund_amount end,
    'task', (select title from public.tasks where id = payment.task_id)),
    format('/admin/money?tab=%s&search=%s', case when payout then 'payouts' else 'refunds' end, payment.id));
end $$;

create function private.notify_release(payment public.payments) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('person', private.person_name(payment.payer_id), 'amount', payment.payout_amount,
    'task', (select title from public.tasks where id = payment.task_id));
begin
  if auth.uid() is null then -- nobody confirmed, the time was over
    perform private.notify_person(payment.payee_id, 'payment_released_by_time', news, '/bookings');
    perform private.notify_person(payment.payer_id, 'confirmed_by_time', news, '/bookings');
  else
    perform private.notify_person(payment.payee_id, 'payment_released', news, '/bookings');
  end if;
end $$;

create function private.recount_parties(payment public.payments) returns void
language plpgsql set search_path = '' as $$
begin
  if exists (select from public.bookings where id = payment.booking_id and status = 'completed') then
    perform private.recount_person(least(payment.payer_id, payment.payee_id));
    perform private.recount_person(greatest(payment.payer_id, payment.payee_id));
  end if;
end $$;

create function private.request_reviews(booking uuid) returns void
language plpgsql set search_path = '' as $$
begin
  insert into private.review_requests (booking_id)
  select id from public.bookings where id = booking and status = 'completed'
  on conflict do nothing;
  if found then
    perform private.schedule_tick(now() + interval '1 hour');
  end if;
end $$;

create function private.stamp_payment(payment public.payments) returns public.payments
language plpgsql stable set search_path = '' as $$
begin
  payment.updated_at := now();
  return payment;
end $$;

drop trigger "20_account" on public.payments;

drop trigger "30_release" on public.payments;

drop trigger "90_stamp" on public.payments;

drop trigger document_payment on public.payments;

drop trigger follow_failed_transfer on public.payments;

drop trigger follow_release on public.payments;

drop trigger recount_after_payment on public.payments;

drop trigger request_reviews on public.payments;

drop trigger settle_confirmation_notice on public.payments;

create trigger after_payment_update after update on public.payments
for each row execute function private.after_payment_update();

create trigger before_payment_insert before insert on public.payments
for each row execute function private.before_payment_insert();

create trigger before_payment_update before update on public.payments
for each row execute function private.before_payment_update();

drop function private.check_release();

drop function private.document_payment();

drop function private.follow_failed_transfer();

drop function private.follow_release();

drop function private.recount_after_payment();

drop function private.request_reviews();

drop function private.settle_confirmation_notice();

drop function private.stamp_payment();

grant execute on function private.check_release(public.payments,public.payments) to authenticated;
grant execute on function private.check_release(public.payments,public.payments) to service_role;
grant execute on function private.stamp_payment(public.payments) to authenticated;
grant execute on function private.stamp_payment(public.payments) to service_role;
