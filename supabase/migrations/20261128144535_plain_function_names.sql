-- Creates functions under plainer names; their callers follow in the next migrations.
set check_function_bodies = off;

create function private.abandoned_payout_reason(code text) returns text
language sql immutable set search_path = '' as $$
  select case private.transfer_refusal_reason(code) when 'account_incomplete' then 'account_incomplete' else 'admin_sends_payout' end
$$;

create function private.confusable_skeleton(value text) returns text
language sql immutable set search_path = '' as $$
  select case when octet_length(value) = length(value) then translate(lower(value), '013457@$|!i', 'oleastaslll')
  else translate(
    normalize(regexp_replace(normalize(lower(normalize(value, NFKC)), NFKD), '[\u0300-\u036f]', '', 'g'), NFKC),
    '013457аеорсухкмтвніјѕԁԛԝӏгпѡһүԍαεορκωντιυηχγıɑɡɩʟʀᴀʙᴄᴅᴇꜰɢʜɪᴊ'
    'ᴋᴍɴᴏᴘꜱᴛᴜᴠᴡʏᴢƙłøđ@$|!🅐🅑🅒🅓🅔🅕🅖🅗🅘🅙🅚🅛🅜🅝🅞🅟🅠🅡🅢🅣🅤🅥🅦🅧🅨🅩🅰🅱🅲🅳🅴🅵🅶🅷🅸🅹🅺🅻🅼🅽'
    '🅾🅿🆀🆁🆂🆃🆄🆅🆆🆇🆈🆉🄰🄱🄲🄳🄴🄵🄶🄷🄸🄹🄺🄻🄼🄽🄾🄿🅀🅁🅂🅃🅄🅅🅆🅇🅈🅉🇦🇧🇨🇩🇪🇫🇬🇭🇮🇯🇰🇱🇲🇳🇴🇵🇶🇷🇸🇹🇺🇻'
    '🇼🇽🇾🇿i',
    'oleastaeopcyxkmtbhljsdqwlrnwhygaeopkwvtlunxylagllrabcdefghlj'
    'kmnopstuvwyzklodasllabcdefghljklmnopqrstuvwxyzabcdefghljklmn'
    'opqrstuvwxyzabcdefghljklmnopqrstuvwxyzabcdefghljklmnopqrstuv'
    'wxyzl')
  end
$$;

create function private.entry_figures(e public.ledger_entries) returns table (kind text, amount numeric)
language sql immutable set search_path = '' as $$
  select f.kind, -e.amount from (values
    ('account: ' || e.account, true), ('held', e.account = 'escrow' and e.kind = 'charge'),
    ('released', e.account = 'tasker' and e.kind not in ('payout', 'payout_reversed')),
    ('fees', e.account = 'platform_fees')) f (kind, counts) where f.counts
$$;

create function private.notified_task_title(task uuid) returns text
language sql stable set search_path = '' as $$
  select title from public.tasks where id = task
$$;

create function private.payout_return_reason(code text) returns text
language sql immutable set search_path = '' as $$
  select case
    when code = 'account_closed' then 'account_closed'
    when code in ('account_frozen', 'bank_account_restricted', 'bank_account_unusable') then 'account_restricted'
    when code in ('bank_ownership_changed', 'incorrect_account_holder_name') then 'other_holder'
    when code in ('invalid_account_number', 'incorrect_account_type', 'no_account') then 'account_not_found'
    when code = 'invalid_currency' then 'currency_not_taken'
    else 'bank_refused' end
$$;

create function private.people_in_row(table_name text, row_values jsonb) returns uuid[]
language sql immutable set search_path = '' as $$
  select array(select distinct value::uuid from jsonb_each_text(row_values)
    where value is not null and (key in ('user_id', 'giver_id', 'tasker_id', 'payer_id', 'payee_id', 'task_giver_id',
      'reviewer_id', 'reviewee_id', 'sender_id', 'author_id') or (key = 'id' and table_name = 'profiles')))
$$;

create function private.person_badges(person public.public_profiles) returns setof text
language sql immutable set search_path = '' as $$
  select b.badge from (values
    ('first_job', person.completed_tasks >= 1),
    ('ten_jobs', person.completed_tasks >= 10),
    ('fifty_jobs', person.completed_tasks >= 50),
    ('top_rated', person.rating >= 4.8 and person.total_reviews >= 5),
    ('quick_to_respond', person.response_rate >= 95 and person.completed_tasks >= 3),
    ('always_on_time', person.on_time_rate = 100 and person.completed_tasks >= 3),
    ('verified', person.is_verified),
    ('insured', person.insured)
  ) as b (badge, earned) where b.earned
$$;

create function private.refund_refusal_reason(code text) returns text
language sql immutable set search_path = '' as $$
  select case when code in ('balance_insufficient', 'insufficient_funds') then private.transfer_refusal_reason(code)
    else 'provider_refused_refund' end
$$;

create function private.reputation(person uuid) returns table (
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

create function private.transfer_refusal_reason(code text) returns text
language sql immutable set search_path = '' as $$
  select case
    when code in ('insufficient_capabilities_for_transfer', 'transfers_not_allowed', 'payouts_not_allowed') then 'account_incomplete'
    -- As release-payout says it where the provider knows the booking's charge, and not the account.
    when code = 'account_invalid' then 'account_closed_by_provider'
    when code in ('balance_insufficient', 'insufficient_funds') then 'platform_balance_low'
    else 'provider_refused_payout' end
$$;

grant execute on function private.confusable_skeleton(text) to anon;

grant execute on function private.confusable_skeleton(text) to authenticated;

grant execute on function private.confusable_skeleton(text) to service_role;

grant execute on function private.person_badges(public.public_profiles) to anon;

grant execute on function private.person_badges(public.public_profiles) to authenticated;

grant execute on function private.person_badges(public.public_profiles) to service_role;
