-- E-mails about money lead to its receipt or statement, too.

-- What an e-mail tells, the weightiest first: money, then complaints, then the rest as it came about.
create or replace function private.events_of_email(email uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_agg(jsonb_build_object('key', e.key, 'kind', t.kind, 'required', k.required, 'title', t.title,
      'message', t.message, 'subject', coalesce(t.subject, case when e.params ? 'task' then t.title || ': "{task}"' else t.title end),
      'button', t.button, 'params', e.params, 'link', e.link, 'amounts', e.amounts,
      'reason', case when e.key = 'payout_failed' then (select f.message from public.payment_failures f
        join public.payments p on p.id = f.payment_id where p.booking_id = e.booking_id and f.step = 'payout') end,
      'receipt', (select jsonb_build_object('kind', r.kind, 'number', r.number, 'link', '/receipt/' || r.id)
        from public.receipts r join public.payments p on p.id = r.payment_id
        where p.booking_id = e.booking_id and r.person_id = e.person_id and r.kind
          = case t.amounts when 'payout' then 'statement' when 'total' then 'receipt' when 'refund' then 'receipt' end::public.receipt_kind),
      'messages', case when e.key = 'message_received' then private.unread_messages(e.person_id, e.booking_id) end)
    order by t.kind <> 'payments', t.kind <> 'complaints', e.id)
  from private.email_events e join private.notification_texts t on t.key = e.key
  join private.notification_kinds k on k.kind = t.kind where e.email_id = email
$$;
