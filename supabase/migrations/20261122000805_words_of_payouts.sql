-- Why money did not arrive, in our words: what the provider says is written for who integrates it, not for who is paid. The
-- provider's own stand in public.payouts and public.payment_failures, for administrators.

update private.notification_texts set message = message || ' We try again. If your payout account asks for something, '
  'it is sent at once when that is done.' where key = 'payout_failed';

-- The twin of web/features/payouts/states.ts; codes: https://docs.stripe.com/api/payouts/failures
create function private.reason_of_return(code text) returns text
language sql immutable set search_path = '' as $$
  select case
    when code = 'account_closed' then 'The bank account has been closed.'
    when code in ('account_frozen', 'bank_account_restricted', 'bank_account_unusable')
      then 'The bank takes no deposits for this account at the moment.'
    when code in ('bank_ownership_changed', 'incorrect_account_holder_name')
      then 'The account does not belong to the name that the bank was given.'
    when code in ('invalid_account_number', 'incorrect_account_type', 'no_account')
      then 'No account with these numbers was found, or it takes no deposits.'
    when code = 'invalid_currency' then 'The account does not take Canadian dollars.'
    else 'The bank did not take it.' end
$$;

create or replace function private.apply_payout(payout jsonb, account text) returns text
language plpgsql security definer set search_path = '' as $$
declare
  receiver public.payout_accounts;
  known public.payout_state;
  state constant public.payout_state := (payout ->> 'status')::public.payout_state;
begin
  select * into receiver from public.payout_accounts where stripe_account_id = account for no key update;
  if receiver.id is null then
    return 'no payout account of ours';
  end if;
  select status into known from public.payouts where id = payout ->> 'id' for update;
  insert into public.payouts as p (id, user_id, amount, currency, status, arrival_date, bank_last4, failure_code,
    failure_message, created_at)
  values (payout ->> 'id', receiver.user_id, (payout ->> 'amount')::numeric / 100, upper(payout ->> 'currency'), state,
    to_timestamp((payout ->> 'arrival_date')::double precision)::date, receiver.bank_last4, payout ->> 'failure_code',
    payout ->> 'failure_message', to_timestamp((payout ->> 'created')::double precision))
  on conflict (id) do update set status = excluded.status, arrival_date = excluded.arrival_date,
    failure_code = excluded.failure_code, failure_message = excluded.failure_message, updated_at = now()
  where p.status <= excluded.status;
  if state = 'failed' and known is distinct from 'failed' then
    perform private.notify_person(receiver.user_id, 'payout_returned', jsonb_build_object(
      'amount', round((payout ->> 'amount')::numeric / 100, 2),
      'reason', private.reason_of_return(payout ->> 'failure_code')), '/profile?tab=payout');
  end if;
  return null;
end $$;

create or replace function private.events_of_email(email uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_agg(jsonb_build_object('key', e.key, 'kind', t.kind, 'required', k.required, 'title', t.title,
      'message', t.message, 'subject', coalesce(t.subject, case when e.params ? 'task' then t.title || ': "{task}"' else t.title end),
      'button', t.button, 'params', e.params, 'link', e.link, 'amounts', e.amounts,
      'receipt', (select jsonb_build_object('kind', r.kind, 'number', r.number, 'link', '/receipt/' || r.id)
        from public.receipts r join public.payments p on p.id = r.payment_id
        where p.booking_id = e.booking_id and r.person_id = e.person_id and r.kind
          = case t.amounts when 'payout' then 'statement' when 'total' then 'receipt' when 'refund' then 'receipt' end::public.receipt_kind),
      'messages', case when e.key = 'message_received' then private.unread_messages(e.person_id, e.booking_id) end)
    order by t.kind <> 'payments', t.kind <> 'complaints', e.id)
  from private.email_events e join private.notification_texts t on t.key = e.key
  join private.notification_kinds k on k.kind = t.kind where e.email_id = email
$$;
