-- Money as the back office looks through it: payments, payouts and refunds with their state and why they did not move, and what
-- stands in the books. Lists are paged by the last row that was read.

create index payments_newest on public.payments (created_at desc, id desc);
create index payments_by_escrow on public.payments (escrow_status, created_at desc, id desc);
create index payments_by_payout on public.payments (payout_status, created_at desc, id desc) where payout_status <> 'none';
create index payments_by_refund on public.payments (refund_status, created_at desc, id desc) where refund_status <> 'none';
create index payments_paid_out on public.payments (created_at desc, id desc) where payout_status <> 'none';
create index payments_refunded on public.payments (created_at desc, id desc) where refund_status <> 'none';

-- What the text of a search says of a payment `p`, as SQL: an id of ours, of the provider, or words of either person.
create function private.payment_search(query text) returns text
language plpgsql stable security definer set search_path = '' as $$
declare
  wanted constant text := private.trimmed(left(coalesce(query, ''), 200));
  people uuid[];
begin
  if wanted = '' then
    return 'true';
  elsif wanted ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return format('%L::uuid in (p.id, p.booking_id, p.task_id, p.payer_id, p.payee_id)', wanted);
  elsif wanted ~ '^(pi|ch|tr|re)_[\w-]+$' then
    return format('%L in (p.stripe_payment_intent_id, p.stripe_charge_id, p.stripe_transfer_id, p.stripe_refund_id)', wanted);
  end if;
  execute 'select array_agg(id) from (select p.id from private.profiles p where '
    || (select string_agg('private.person_text(p.full_name, p.email, p.phone) ilike '
      || quote_literal(private.contains_pattern(w)), ' and ') from unnest(private.search_words(wanted)) w)
    || ' and p.deleted_at is null limit 500) found' into people;
  return format('(p.payer_id = any (%1$L::uuid[]) or p.payee_id = any (%1$L::uuid[]))', coalesce(people, '{}'));
end $$;

-- Payments, newest first. `kind` is payments, payouts (those with one) or refunds; `state` is one of the kind's own states, stuck,
-- or all. Amounts are dollars. The page after the row (before_at, before_id); at most 100.
create function public.find_payments(kind text default 'payments', state text default 'all', query text default '',
  before_at timestamptz default null, before_id uuid default null, max_results integer default 50)
returns table (id uuid, booking_id uuid, task_id uuid, task_title text, payer_id uuid, payer_name text, payee_id uuid,
  payee_name text, amount numeric, total numeric, payout_amount numeric, refund_amount numeric, refunded_amount numeric,
  lost_amount numeric, escrow_status public.escrow_status, payout_status public.transfer_status,
  refund_status public.transfer_status, stuck boolean, failure text, created_at timestamptz, updated_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
declare
  state_column constant text := case kind when 'payments' then 'escrow_status' when 'payouts' then 'payout_status'
    when 'refunds' then 'refund_status' end;
  step constant text := case kind when 'payments' then 'charge' when 'payouts' then 'payout' else 'refund' end;
begin
  perform private.allow(private.is_admin(), 'Only admins can look through payments');
  perform private.require(state_column is not null, 'Kind must be payments, payouts or refunds', 'kind');
  perform private.require(state in ('all', 'stuck') or state = any (case kind
      when 'payments' then enum_range(null::public.escrow_status)::text[]
      else enum_range(null::public.transfer_status)::text[] end), 'There is no such state', 'state');
  return query execute concat_ws(' ',
    'select p.id, p.booking_id, p.task_id, t.title, p.payer_id, giver.full_name, p.payee_id, tasker.full_name, p.amount, p.total,',
    'p.payout_amount, p.refund_amount, p.refunded_amount, p.lost_amount, p.escrow_status, p.payout_status, p.refund_status,',
    'private.is_stuck(p), f.message, p.created_at, p.updated_at from public.payments p join public.tasks t on t.id = p.task_id',
    'join private.profiles giver on giver.id = p.payer_id join private.profiles tasker on tasker.id = p.payee_id',
    format('left join public.payment_failures f on f.payment_id = p.id and f.step = %L', step),
    'where', private.payment_search(query),
    case when state = 'stuck' then 'and private.is_stuck(p)'
      when state <> 'all' then format('and p.%I = %L', state_column, state) end,
    case when state in ('all', 'stuck') and kind = 'payouts' then 'and p.payout_status <> ''none''' end,
    case when state in ('all', 'stuck') and kind = 'refunds' then 'and p.refund_status <> ''none''' end,
    case when before_at is not null then format('and (p.created_at, p.id) < (%L, %L)', before_at, before_id) end,
    'order by p.created_at desc, p.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

-- What stands in the books: dollars in escrow, owed to taskers, owed back to givers, earned fees, GST owed, and lost to disputes.
create function public.money_balances() returns table (account public.ledger_account, amount numeric)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'Only admins can read the books');
  return query select a.account, coalesce(case a.account when 'provider' then 1 when 'disputes' then 1 else -1 end
      * (select sum(e.amount) from public.ledger_entries e where e.account = a.account), 0)
  from unnest(enum_range(null::public.ledger_account)) a (account);
end $$;

revoke execute on function public.find_payments(text, text, text, timestamptz, uuid, integer), public.money_balances()
  from public, anon;
grant execute on function public.find_payments(text, text, text, timestamptz, uuid, integer), public.money_balances()
  to authenticated;
