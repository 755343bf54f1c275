-- A payout whose last try has failed: from then on nobody reads that we try again, but whose turn it is. As refund_given_up.

alter table public.payment_failures
  add column given_up boolean not null default false;
comment on column public.payment_failures.given_up is 'It is not tried by itself any more';

-- Remembers why a step failed; null as message: it went through after all. A failure that is told of is one of a try that was made.
create or replace function private.note_failure(payment uuid, step public.payment_step, message text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if message is null then
    delete from public.payment_failures f where f.payment_id = payment and f.step = note_failure.step;
    return;
  end if;
  insert into public.payment_failures as f (payment_id, step, person_id, message, code)
  select p.id, note_failure.step, case when note_failure.step = 'payout' then p.payee_id else p.payer_id end,
    left(note_failure.message, 500), left(note_failure.code, 100)
  from public.payments p where p.id = payment
  on conflict on constraint payment_failures_pkey do update set message = excluded.message, code = excluded.code, failed_at = now(),
    given_up = false;
end $$;

insert into private.notification_texts (key, kind, title, message, subject, button, amounts) values
  ('payout_given_up', 'payments', 'Payout delayed',
    'The payout of ${amount} for "{task}" still has not gone through, and is not tried by itself any more. {reason}',
    'The payout of ${amount} for "{task}" takes longer', 'See your payouts', 'payout');

-- Whose turn it is once a payout is not tried any more: the tasker's, whose account lacks something, or an administrator's.
create function private.reason_of_given_up_payout(code text) returns text
language sql immutable set search_path = '' as $$
  select case when private.reason_of_refusal(code) like 'Your payout account cannot%' then private.reason_of_refusal(code)
    else 'An administrator looks into it and sends it. If your payout account asks for something, the money is sent at once when that is done.' end
$$;

-- Sets an effect aside for good: admins decide what becomes of it. A giver whose refund it was hears of it, and a tasker whose payout.
create or replace function private.give_up_effect(effect_id bigint, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  effect jsonb;
  due public.payments;
begin
  perform pgmq.archive('effects', effect_id);
  insert into private.failed_effects (id, error, given_up_at) values (effect_id, left(reason, 1000), now())
  on conflict (id) do update set error = excluded.error, failed_at = now(), given_up_at = now();
  select a.message into effect from pgmq.a_effects a where a.msg_id = effect_id;
  if effect ->> 'function' not in ('refund-payment', 'release-payout') then
    return;
  end if;
  select p.* into due from public.payments p where p.id = (effect #>> '{body,payment_id}')::uuid and p.open_disputes = 0;
  if effect ->> 'function' = 'refund-payment' and due.refund_status in ('queued', 'failed') then
    perform private.tell_of_refund(due, 'refund_given_up', due.refund_amount);
  elsif effect ->> 'function' = 'release-payout' and due.payout_status in ('queued', 'failed') then
    update public.payment_failures f set given_up = true where f.payment_id = due.id and f.step = 'payout';
    perform private.notify_person(due.payee_id, 'payout_given_up', jsonb_build_object('amount', due.payout_amount,
      'task', (select title from public.tasks where id = due.task_id),
      'reason', private.reason_of_given_up_payout((select f.code from public.payment_failures f
        where f.payment_id = due.id and f.step = 'payout'))), '/profile?tab=payout');
  end if;
end $$;
