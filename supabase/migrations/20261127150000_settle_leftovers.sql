-- Settles what stayed open: requests to confirm are read once nothing is left to confirm, an unanswered message counts for the
-- response rate after 24 hours only, and a first set of recovery codes has its own notification.
set check_function_bodies = off;

create table private.pending_recounts (
  booking_id uuid primary key references public.bookings (id) on delete cascade,
  due_at timestamptz not null
);
alter table private.pending_recounts enable row level security;

create or replace function private.record_of(person uuid) returns table (
  rating numeric, total_reviews integer, completed_tasks integer, response_rate integer, on_time_rate integer,
  trust_score integer
) language sql volatile security definer set search_path = '' as $$
  with shown as (
    select coalesce(round(avg(r.rating), 2), 0) as rating, count(*)::int as total
    from public.reviews r where r.reviewee_id = person and r.visible_from <= clock_timestamp() and r.hidden_at is null
  ), jobs as (
    select count(*) filter (where p.payee_id = person)::int as done, count(*)::int as paid
    from public.payments p join public.bookings b on b.id = p.booking_id and b.status = 'completed'
    where (p.payee_id = person or p.payer_id = person)
      and p.escrow_status in ('released', 'refunded') and p.payout_amount > 0
  ), asked as (
    select b.created_at as at, b.answered_at as answered
    from public.bookings b where b.task_giver_id = person and b.status <> 'pending'
      and (b.answered_at is not null or b.cancelled_by is distinct from b.task_doer_id)
    union all
    select question.at, answer.at
    from public.bookings b
    cross join lateral (select min(m.created_at) as at from public.messages m
      where m.booking_id = b.id and m.receiver_id = person) question
    cross join lateral (select min(m.created_at) as at from public.messages m
      where m.booking_id = b.id and m.sender_id = person and m.created_at >= question.at) answer
    where b.task_doer_id = person and question.at < coalesce(b.completed_at, b.cancelled_at, 'infinity')
      and (answer.at is not null
        or b.status in ('completed', 'cancelled') and question.at + interval '24 hours' <= clock_timestamp())
  ), answers as (
    select coalesce(round(100.0 * count(*) filter (where answered <= at + interval '24 hours') / nullif(count(*), 0)),
      100)::int as rate from asked
  ), due as (
    select b.status = 'completed' and b.completed_at <= case
        when t.duration_minutes is not null
          then t.scheduled_date + make_interval(mins => t.duration_minutes) + interval '2 hours'
        else (date_trunc('day', t.scheduled_date at time zone 'America/Regina') + interval '1 day') at time zone 'America/Regina'
      end as on_time
    from public.bookings b join public.tasks t on t.id = b.task_id
    where b.task_doer_id = person and (
      (b.status = 'completed' and t.scheduled_date is not null)
      or (b.status = 'cancelled' and b.accepted_at is not null and b.cancelled_by = person))
  ), punctual as (
    select coalesce(round(100.0 * count(*) filter (where on_time) / nullif(count(*), 0)), 100)::int as rate from due
  )
  select shown.rating, shown.total, jobs.done, answers.rate, punctual.rate,
    least(100, greatest(0, round(50
      + case when p.is_verified then 15 else 0 end
      + case when p.background_checked then 5 else 0 end
      + case when p.insured then 5 else 0 end
      + case when shown.total > 0 then (shown.rating - 3) * 10 * least(shown.total, 5) / 5.0 else 0 end
      + least(10, jobs.paid)
      - (100 - punctual.rate) / 5.0
      - (100 - answers.rate) / 10.0)))::int
  from shown, jobs, answers, punctual, public.profiles p where p.id = person
$$;

create function private.recount_unanswered() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select booking_id into due from private.pending_recounts where due_at <= now()
  order by due_at limit 1 for update skip locked;
  if not found then
    return 0;
  end if;
  delete from private.pending_recounts where booking_id = due;
  perform private.recount_person(b.task_doer_id) from public.bookings b where b.id = due;
  return 1;
end $$;

create function private.schedule_recount() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  due timestamptz;
begin
  select min(created_at) + interval '24 hours' into due from public.messages
  where booking_id = new.id and receiver_id = new.task_doer_id;
  if due > now() then
    insert into private.pending_recounts (booking_id, due_at) values (new.id, due) on conflict do nothing;
    perform private.schedule_tick(due);
  end if;
  return null;
end $$;

create function private.settle_confirmation_notice() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.notifications set read = true
  where user_id = new.payer_id and not read and link like private.booking_link(new.booking_id) || '%'
    and key in ('task_marked_complete', 'task_marked_complete_early', 'confirm_reminder');
  return null;
end $$;

create or replace function public.make_recovery_codes() returns text[]
language plpgsql security definer set search_path = '' as $$
declare
  alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  person constant uuid := auth.uid();
  random bytea;
  code text;
  codes text[] := '{}';
  replaced boolean;
begin
  perform private.allow(person is not null, 'account.not_authenticated');
  perform private.allow(auth.jwt() ->> 'aal' = 'aal2' and private.has_second_factor(person),
    'account.second_factor_not_set_up');
  perform private.require_fresh_sign_in();
  replaced := exists (select from private.recovery_codes where person_id = person and used_at is null);
  delete from private.recovery_codes where person_id = person;
  for nth in 1..10 loop
    random := extensions.gen_random_bytes(16);
    -- 256 is a multiple of 32, so every letter is as likely.
    code := (select string_agg(substr(alphabet, get_byte(random, place) % 32 + 1, 1)
      || case when place in (3, 7, 11) then '-' else '' end, '' order by place) from generate_series(0, 15) place);
    insert into private.recovery_codes (person_id, hash) values (person, private.recovery_hash(person, code));
    codes := codes || code;
  end loop;
  perform private.notify_person(person, case when replaced then 'recovery_codes_made' else 'first_recovery_codes_made' end, '{}',
    '/profile?tab=security');
  return codes;
end $$;

create or replace function public.run_scheduled() returns integer
language plpgsql security definer set search_path = '' as $$
begin
  return private.remind_to_confirm() + private.release_by_time() + private.announce_old_reviews() + private.remind_to_pay()
    + private.expire_booking() + private.close_overdue_task() + private.end_insurance() + private.remind_of_work()
    + private.sweep_photos() + private.end_data_export() + private.recount_unanswered();
end $$;

create index pending_recounts_due on private.pending_recounts (due_at);

create trigger schedule_recount after update of status on public.bookings
for each row when (old.status <> new.status and new.status in ('completed', 'cancelled'))
execute function private.schedule_recount();

create trigger settle_confirmation_notice after update of escrow_status on public.payments
for each row when (old.escrow_status = 'held' and new.escrow_status <> 'held')
execute function private.settle_confirmation_notice();

comment on column private.pending_recounts.due_at is 'When the message counts for the tasker''s response rate, 24 hours after it was sent';
comment on table private.pending_recounts is 'Bookings that ended less than 24 hours after the giver''s unanswered first message';

insert into private.notification_texts (key, kind, title, message, subject, button, amounts, by_email, part, topic) values
  ('first_recovery_codes_made', 'account', 'New recovery codes', 'Ten new recovery codes were made for your account. If it was not you, change your password at once.', 'New recovery codes were made for your account', 'Check your security settings', null, true, null, null);

-- Requests to confirm that were settled before.
update public.notifications n set read = true from public.payments p
where p.escrow_status not in ('pending', 'held') and n.user_id = p.payer_id and not n.read
  and n.link like private.booking_link(p.booking_id) || '%'
  and n.key in ('task_marked_complete', 'task_marked_complete_early', 'confirm_reminder');

-- Messages that were counted too early, as long as the schedule counts them again.
with early as (
  insert into private.pending_recounts (booking_id, due_at)
  select b.id, min(m.created_at) + interval '24 hours'
  from public.bookings b join public.messages m on m.booking_id = b.id and m.receiver_id = b.task_doer_id
  where b.status in ('completed', 'cancelled')
  group by b.id having min(m.created_at) + interval '24 hours' > now()
  returning booking_id, due_at
)
select private.schedule_tick(due_at) from early;

select private.recount_person(tasker.id) from (select distinct b.task_doer_id as id from private.pending_recounts r
  join public.bookings b on b.id = r.booking_id order by 1) tasker;
