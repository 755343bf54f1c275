-- An e-mail waits a few minutes for others; the bell is at once. Nobody is mailed to do what they did in the meantime, or that
-- money waits which has arrived. Links about payouts and complaints lead to them, not to a page around them.

-- Whether an event that waits to be mailed asks for, or announces, what is over by now.
create function private.is_over(event private.email_events) returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(case
    when event.key in ('application_received', 'application_received_unverified') then b.status <> 'pending'
    when event.key = 'pay_reminder' then b.status <> 'accepted'
    when event.key = 'task_started' then b.status <> 'in_progress'
    when event.key = 'work_reminder' then b.status not in ('accepted', 'in_progress')
    when event.key in ('task_marked_complete', 'confirm_reminder') then p.escrow_status <> 'held'
    when event.key = 'payout_waiting' then p.payout_status <> 'waiting'
    when event.key = 'payout_failed' then p.payout_status = 'sent'
    when event.key = 'complaint_opened' then c.answered_at is not null or c.decided_at is not null
    when event.key = 'complaint_to_decide' then exists (select from public.complaints decided
      where decided.id = substring(event.link from '/complaints/([0-9a-f-]{36})')::uuid and decided.decided_at is not null)
    when event.key = 'review_asked' then exists (
      select from public.reviews r where r.booking_id = b.id and r.reviewer_id = event.person_id)
    when event.key = 'task_asked' then not exists (select from public.tasks t
      where t.id = substring(event.link from '/task/([0-9a-f-]{36})')::uuid and t.status = 'asked')
    when event.key = 'verification_submitted' then not exists (
      select from public.verifications v where v.user_id = event.person_id and v.verification_status = 'pending')
    when event.key = 'verification_waiting' then not exists (select from public.verifications v
      where v.verification_status = 'pending' and private.person_name(v.user_id) = event.params ->> 'person')
    when event.key = 'message_received' then private.unread_messages(event.person_id, event.booking_id) is null
  end, false)
  from (select) as one
    left join public.bookings b on b.id = event.booking_id
    left join public.payments p on p.booking_id = b.id
    left join public.complaints c on c.booking_id = b.id
$$;

-- Makes e-mails of the events that are due, of at most so many people: all that waits for a person goes into one.
create or replace function private.gather_emails(max_people integer) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person uuid;
  events bigint[];
  email uuid;
begin
  -- An e-mail after a week is news no more; it could not be sent because there was no mail server.
  delete from private.email_events where email_id is null and due_at < now() - interval '7 days';
  delete from private.emails where status <> 'waiting' and created_at < now() - interval '30 days';
  for person in select e.person_id from private.email_events e where e.email_id is null and e.due_at <= now()
    group by e.person_id order by min(e.due_at) limit max_people
  loop
    -- Who gathers the same person's events at this moment has them locked.
    select array_agg(w.id) into events from (
      select e.id from private.email_events e where e.person_id = person and e.email_id is null
        and (e.key <> 'message_received' or e.due_at <= now()) order by e.id for update skip locked) w;
    delete from private.email_events e using private.notification_texts t
    where e.id = any (events) and t.key = e.key and (private.email_address(person) is null
      or not private.wants_email(person, t.kind) or private.is_over(e));
    if exists (select from private.email_events e where e.id = any (events)) then
      insert into private.emails (person_id) values (person) returning id into email;
      update private.email_events set email_id = email where id = any (events);
    end if;
  end loop;
end $$;

create or replace function private.queue_payout(payment uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  select * into strict due from public.payments where id = payment;
  if due.payout_amount = 0 or due.payout_status not in ('none', 'waiting') then
    return;
  end if;
  if exists (select from public.payout_accounts where user_id = due.payee_id and account_status = 'active') then
    update public.payments set payout_status = 'queued' where id = payment;
    perform private.enqueue_function('release-payout', jsonb_build_object('payment_id', payment), 'payout-' || payment);
  elsif due.payout_status = 'none' then
    update public.payments set payout_status = 'waiting' where id = payment;
    perform private.notify_person(due.payee_id, 'payout_waiting', jsonb_build_object('amount', due.payout_amount,
      'task', (select title from public.tasks where id = due.task_id)), '/profile?tab=payout');
  end if;
end $$;

create or replace function public.finish_payout(payment_id uuid, transfer_id text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  perform private.require(transfer_id <> '', 'transfer_id is required', 'transfer_id');
  select * into due from public.payments p where p.id = finish_payout.payment_id for no key update;
  perform private.require(due.id is not null, 'Payment not found', 'payment_id');
  if due.stripe_transfer_id = finish_payout.transfer_id then
    return;
  end if;
  perform private.require(due.stripe_transfer_id is null and due.escrow_status in ('released', 'refunded'),
    'This payment has no payout to record', 'payment_id');
  update public.payments set payout_status = 'sent', stripe_transfer_id = finish_payout.transfer_id where id = due.id;
  perform private.note_failure(due.id, 'payout', null);
  perform private.post_ledger(due.id, 'payout', finish_payout.transfer_id,
    jsonb_build_object('tasker', due.payout_amount, 'provider', -due.payout_amount));
  perform private.notify_person(due.payee_id, 'payout_sent', jsonb_build_object('amount', due.payout_amount,
    'task', (select title from public.tasks where id = due.task_id)), '/profile?tab=payout');
end $$;

create or replace function private.follow_complaint() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  news jsonb;
begin
  news := jsonb_build_object('person', private.person_name(new.giver_id), 'task',
    (select t.title from public.tasks t join public.bookings b on b.task_id = t.id where b.id = new.booking_id));
  if tg_op = 'INSERT' then
    update public.payments set escrow_status = 'frozen' where id = new.payment_id and escrow_status = 'held';
    perform private.notify_person(new.tasker_id, 'complaint_opened', news, private.booking_link(new.booking_id));
    perform private.notify_admins('complaint_to_decide', news, '/admin/complaints/' || new.id);
  elsif new.answer is distinct from old.answer then
    perform private.notify_person(new.giver_id, 'complaint_answered',
      news || jsonb_build_object('person', private.person_name(new.tasker_id)), private.booking_link(new.booking_id));
  end if;
  return null;
end $$;
