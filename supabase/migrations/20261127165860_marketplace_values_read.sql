-- Have the rest of the functions read the marketplace's values, and take fees and pay out of private.rules().
set check_function_bodies = off;

create or replace function private.issue_receipt(payment public.payments, kind public.receipt_kind, at timestamptz default now()) returns void
language plpgsql security definer set search_path = '' as $$
declare
  to_giver constant boolean := kind = 'receipt';
  person constant uuid := case when to_giver then payment.payer_id else payment.payee_id end;
  other constant uuid := case when to_giver then payment.payee_id else payment.payer_id end;
  basis public.receipt_basis := 'task';
  counted numeric := payment.amount;
  parts record;
  card private.charged_cards;
begin
  if not to_giver then
    select b.basis, b.amount into basis, counted from private.basis_of_payout(payment) b;
  end if;
  -- The giver's parts are those that were charged, whatever the fee policy says today.
  select case when to_giver then payment.platform_fee else f.platform_fee end as platform_fee,
    case when to_giver then payment.gst else f.gst end as gst
  into parts from (select 1) one left join lateral private.fees(counted) f on counted is not null;
  if to_giver then
    delete from private.charged_cards c where c.payment_id = payment.id returning * into card;
  end if;
  insert into public.receipts (kind, payment_id, person_id, issued_at, issuer, task_title, person_name, other_name, basis, amount,
    platform_fee, gst, platform_fee_percent, gst_percent, total, currency, card_brand, card_last4)
  values (issue_receipt.kind, payment.id, person, at, private.issuer_of_receipts(),
    (select t.title from public.tasks t where t.id = payment.task_id),
    (select p.full_name from private.profiles p where p.id = person),
    (select p.full_name from private.profiles p where p.id = other), basis, counted, parts.platform_fee, parts.gst,
    private.marketplace_number('fees.platformPercent'), private.marketplace_number('tax.percent'),
    case when to_giver then payment.total else payment.payout_amount end, payment.currency,
    card.brand, card.last4)
  on conflict on constraint receipts_payment_id_kind_key do nothing;
end $$;

create or replace function private.period_start(period text, moment timestamptz) returns date
language sql immutable set search_path = '' as $$
  select date_trunc(period, moment at time zone private.time_zone())::date
$$;

create or replace function private.push_time(person uuid, at timestamptz) returns timestamptz
language plpgsql stable security definer set search_path = '' as $$
declare
  quiet public.quiet_hours;
  here constant timestamp := at at time zone private.time_zone();
  during boolean;
begin
  select * into quiet from public.quiet_hours q where q.user_id = person;
  during := case when quiet.starts < quiet.ends then here::time >= quiet.starts and here::time < quiet.ends
    else here::time >= quiet.starts or here::time < quiet.ends end;
  if during is not true then
    return at;
  end if;
  return (here::date + quiet.ends + case when here::time < quiet.ends then interval '0' else interval '1 day' end)
    at time zone private.time_zone();
end $$;

create or replace function private.reason_of_return(code text) returns text
language sql immutable set search_path = '' as $$
  select case
    when code = 'account_closed' then 'The bank account has been closed.'
    when code in ('account_frozen', 'bank_account_restricted', 'bank_account_unusable')
      then 'The bank takes no deposits for this account at the moment.'
    when code in ('bank_ownership_changed', 'incorrect_account_holder_name')
      then 'The account does not belong to the name that the bank was given.'
    when code in ('invalid_account_number', 'incorrect_account_type', 'no_account')
      then 'No account with these numbers was found, or it takes no deposits.'
    when code = 'invalid_currency' then 'The account does not take ' || (private.marketplace() #>> '{texts,currency}') || '.'
    else 'The bank did not take it.' end
$$;

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
        else (date_trunc('day', t.scheduled_date at time zone private.time_zone()) + interval '1 day') at time zone private.time_zone()
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

create or replace function private.words_of_changes(facts jsonb) returns text
language sql stable set search_path = '' as $$
  select string_agg(case fact ->> 'what'
      when 'price' then format('the price is now $%s', to_char((fact ->> 'amount')::numeric, 'FM999999990.00'))
        || coalesce((select format(', your application stays at $%s', to_char((stays ->> 'amount')::numeric, 'FM999999990.00'))
          from jsonb_array_elements(facts) stays where stays ->> 'what' = 'stays'), '')
      when 'time' then 'the time is now ' || private.day_and_time((fact ->> 'at')::timestamptz) || ', ' || (private.marketplace() #>> '{texts,clock}')
      when 'anytime' then 'any time suits now'
      when 'place' then 'the place is now ' || (fact ->> 'place')
      else (select words from private.task_changes() where what = fact ->> 'what') end, '; ' order by nth)
  from jsonb_array_elements(facts) with ordinality as each (fact, nth)
$$;

create or replace function public.admin_figures(period text default 'week', periods integer default 12)
returns table (starts_on date, tasks bigint, bookings bigint, sign_ups bigint, held numeric, released numeric, fees numeric,
  verification_hours numeric)
language plpgsql stable security definer set search_path = '' as $$
declare
  step constant interval := case admin_figures.period when 'week' then interval '1 week' when 'month' then interval '1 month' end;
  running date;
  first date;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "see the figures"}');
  perform private.require(step is not null, 'admin.period_unknown', 'period');
  running := private.period_start(admin_figures.period, now());
  first := running - (least(greatest(coalesce(periods, 12), 1), 60) - 1) * step;
  return query
  with slots as (
    select s::date as day from generate_series(first::timestamp, running, step) s
  ), changed as (
    select private.period_start(admin_figures.period, c.happened_at) as day, c.kind, sum(c.amount) as amount
    from private.figure_changes c where c.happened_at >= first::timestamp at time zone private.time_zone() group by 1, 2
  ), sums as (
    select k.day, sum(k.amount) filter (where k.kind = 'tasks') as tasks, sum(k.amount) filter (where k.kind = 'bookings') as bookings,
      sum(k.amount) filter (where k.kind = 'sign_ups') as sign_ups, sum(k.amount) filter (where k.kind = 'held') as held,
      sum(k.amount) filter (where k.kind = 'released') as released, sum(k.amount) filter (where k.kind = 'fees') as fees,
      sum(k.amount) filter (where k.kind = 'verification_hours') as hours, coalesce(bool_or(k.kind = 'verifications'), false) as decided
    from (
      select s.day, f.kind, f.amount from slots s join private.figures f on f.period = admin_figures.period and f.starts_on = s.day
        and f.kind in ('tasks', 'bookings', 'sign_ups', 'held', 'released', 'fees', 'verification_hours')
      union all
      select c.day, c.kind, c.amount from changed c
    ) k group by 1
  )
  select slots.day, coalesce(s.tasks, 0)::bigint, coalesce(s.bookings, 0)::bigint, coalesce(s.sign_ups, 0)::bigint,
    coalesce(s.held, 0), coalesce(s.released, 0), coalesce(s.fees, 0),
    case when s.decided then private.median_hours(admin_figures.period, slots.day) else s.hours end
  from slots left join sums s on s.day = slots.day order by 1;
end $$;

create or replace function public.my_earnings_by_month() returns table (month date, amount numeric, payouts integer)
language sql stable security invoker set search_path = '' as $$
  select date_trunc('month', r.issued_at at time zone private.time_zone())::date, sum(p.payout_amount), count(*)::integer
  from public.receipts r join public.payments p on p.id = r.payment_id
  where r.person_id = (select auth.uid()) and r.kind = 'statement' and p.payout_amount > 0
  group by 1 order by 1
$$;

create or replace function private.rules() returns json language sql immutable set search_path = '' as $$ select json '{
  "recommendation": {"preferredCategory": 10, "skill": 5},
  "categories": ["Snow Removal", "Cleaning", "Moving", "Delivery", "Handyman", "Gardening", "Pet Care", "Other"],
  "languages": ["en", "es", "fr", "de", "hi", "zh", "ru", "ar", "pt", "id"],
  "phonePattern": "^\\+?[1-9][0-9]{1,14}$",
  "limits": {
    "name": {"min": 2, "max": 100},
    "email": {"max": 255},
    "password": {"min": 8},
    "phone": {"max": 50},
    "city": {"max": 100},
    "bio": {"max": 2000},
    "avatarAddress": {"max": 2000},
    "photoFile": {"max": 20971520, "side": 512},
    "photos": {"count": 5},
    "skills": {"count": 50, "length": 60},
    "experienceYears": {"max": 80},
    "hourlyRate": {"max": 100000},
    "title": {"min": 5, "max": 200},
    "description": {"min": 20, "max": 5000},
    "location": {"min": 3, "max": 200},
    "address": {"min": 3, "max": 300},
    "toolsDescription": {"max": 1000},
    "durationMinutes": {"min": 1, "max": 10080},
    "applicationMessage": {"max": 1000},
    "chatMessage": {"max": 1000},
    "completionNotes": {"max": 2000},
    "cancellationReason": {"max": 1000},
    "reviewStars": {"min": 1, "max": 5},
    "reviewComment": {"max": 2000},
    "reviewDays": 14,
    "complaint": {"min": 10, "max": 2000, "hours": 24, "answerHours": 48},
    "decisionReason": {"max": 2000},
    "releaseAfterDays": 7,
    "minimumAge": 18,
    "identityDocument": {"max": 10485760, "count": 4},
    "insuranceProvider": {"max": 200},
    "insurancePolicyNumber": {"max": 100},
    "verificationSkills": {"count": 50, "length": 100},
    "taxInformationAbove": 500,
    "bankAccount": {"institution": 3, "transit": 5, "account": {"max": 12}}
  }
}' $$;

alter table public.payments alter column currency set default private.currency();

alter table public.payments drop constraint payments_currency_check;
alter table public.payments add constraint payments_currency_check CHECK ((currency = private.currency()));

drop trigger "46_age" on public.verifications;
create trigger "46_age" before insert or update on public.verifications for each row
when (new.date_of_birth <= date '1900-01-01' or new.date_of_birth
  > (now() at time zone private.time_zone())::date - make_interval(years => private.rule('limits.minimumAge')))
execute function private.reject('verification.too_young', 'date_of_birth');

comment on column private.figures.starts_on is 'First day of the week (Monday) or month by the marketplace''s clock';
comment on column private.issuer.gst_number is 'Registration number of the sales tax, as the Canada Revenue Agency assigns it: nine digits, RT, four digits; left out while it is null';
comment on column public.ledger_entries.amount is 'Dollars; debits are positive';
comment on column public.payments.currency is 'In capitals, such as CAD; the marketplace has one';
comment on column public.payments.gst is 'Dollars of sales tax that the giver pays on top of amount, from private.fees';
comment on column public.quiet_hours.ends is 'By the marketplace''s clock; before starts if the hours span midnight';
comment on column public.quiet_hours.starts is 'By the marketplace''s clock';
comment on column public.verifications.date_of_birth is 'At least 18 years ago by the marketplace''s calendar';
comment on function private.rules() is 'The limits and lists of the product''s rules, as shared/rules.ts has them';
comment on table private.issuer is 'The company that receipts and statements name, if an installation differs from marketplace.config.ts; one row';
comment on table private.public_figures is 'Figures of the marketing pages, shown when marketplace.config.ts says counted; one row, counted once a day';
