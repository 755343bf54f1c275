-- Why somebody cannot leave yet, each money with what ends it: work that is not settled by its booking, a payout that
-- waits by bank details, and what is being sent by waiting.
create or replace function private.deletion_obstacle(person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select case
    when exists (select from public.complaints c where person in (c.giver_id, c.tasker_id) and c.decision is null)
      then 'A complaint about one of your bookings is still open. It has to be decided first.'
    when exists (select from public.payments p where person in (p.payer_id, p.payee_id)
        and (p.escrow_status in ('held', 'frozen')
          or exists (select from public.bookings b where b.id = p.booking_id and b.status = 'accepted'
            and private.has_open_intent(b.id))))
      then 'Money of this account is still on its way. Please finish or cancel your bookings first.'
    when exists (select from public.payments p where p.payee_id = person and p.payout_status in ('waiting', 'failed'))
      then 'Money that you earned has not reached you yet. Please check your bank details under Payout first.'
    when exists (select from public.payments p where p.payee_id = person and p.payout_status = 'queued'
        or p.payer_id = person and p.refund_status in ('queued', 'failed'))
      then 'Money is still being sent to you. Please try again once it has arrived.'
  end
$$;
