-- A payout that left before a bank decided counts as sent, also if an admin decided to keep it in between.
set check_function_bodies = off;

create or replace function private.apply_transfer_created(payment uuid, transfer jsonb) returns text
language plpgsql security definer set search_path = '' as $$
declare
  known public.payments;
  expected numeric;
begin
  select * into strict known from public.payments where id = payment for no key update;
  expected := greatest(known.payout_amount, private.kept_payout(payment));
  if known.stripe_transfer_id is distinct from transfer ->> 'id' and (known.stripe_transfer_id is not null
      or known.escrow_status not in ('released', 'refunded') or (transfer ->> 'amount')::bigint is distinct from nullif(expected, 0) * 100) then
    return 'a transfer that was not asked for here';
  end if;
  perform public.finish_payout(payment, transfer ->> 'id');
  return null;
end $$;

create function private.kept_payout(payment uuid) returns numeric
language sql stable set search_path = '' as $$
  select coalesce(sum(amount), 0) from public.ledger_entries
  where payment_id = payment and kind = 'payout_kept' and account = 'tasker'
$$;

create function private.restore_kept_payout(payment public.payments) returns public.payments
language plpgsql security definer set search_path = '' as $$
declare
  kept constant numeric := private.kept_payout(payment.id);
begin
  if kept > 0 then
    perform private.post_ledger(payment.id, 'payout_kept', 'restored', jsonb_build_object('tasker', -kept, 'disputes', kept));
    update public.payments set payout_amount = kept where id = payment.id returning * into strict payment;
    perform private.recount_parties(payment);
  end if;
  return payment;
end $$;

create or replace function public.finish_payout(payment_id uuid, transfer_id text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  perform private.require(transfer_id <> '', 'payout.transfer_id_required', 'transfer_id');
  select * into due from public.payments p where p.id = finish_payout.payment_id for no key update;
  perform private.require(due.id is not null, 'payment.not_found', 'payment_id');
  if due.stripe_transfer_id = finish_payout.transfer_id then
    return;
  end if;
  if due.payout_amount = 0 then
    due := private.restore_kept_payout(due);
  end if;
  perform private.require(due.stripe_transfer_id is null and due.escrow_status in ('released', 'refunded') and due.payout_amount > 0,
    'payout.none_due', 'payment_id');
  -- A loss that a bank decided while the transfer was on its way is the platform's, as of any payout that was sent.
  update public.payments set payout_status = 'sent', stripe_transfer_id = finish_payout.transfer_id,
    settled_loss = case when open_disputes = 0 then greatest(settled_loss, lost_amount) else settled_loss end where id = due.id;
  perform private.record_failure(due.id, 'payout', null);
  perform private.post_ledger(due.id, 'payout', finish_payout.transfer_id,
    jsonb_build_object('tasker', due.payout_amount, 'provider', -due.payout_amount));
  perform private.notify_person(due.payee_id, 'payout_sent', jsonb_build_object('amount', due.payout_amount,
    'task', (select title from public.tasks where id = due.task_id)), '/profile?tab=payout');
end $$;
