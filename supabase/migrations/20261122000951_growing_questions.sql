-- Questions that took longer with every task and payment of others: who was asked first by whom, for an export of one's data, and
-- the payments of one person, for the back office.

create index tasks_asked_ever on public.tasks (asked_tasker_id) where asked_tasker_id is not null;

-- What the text of a search says of a payment `p`, as SQL: an id of ours, of the provider, or words of either person. The payments
-- of few people are looked up before they are put in order: the newest of all would be walked until enough are theirs.
create or replace function private.payment_search(query text) returns text
language plpgsql stable security definer set search_path = '' as $$
declare
  wanted constant text := private.trimmed(left(coalesce(query, ''), 200));
  few constant integer := 20;
  people uuid[];
begin
  if wanted = '' then
    return 'true';
  elsif wanted ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return format('p.id = any (array(select q.id from public.payments q
      where %L::uuid in (q.id, q.booking_id, q.task_id, q.payer_id, q.payee_id)))', wanted);
  elsif wanted ~ '^(pi|ch|tr|re)_[\w-]+$' then
    return format('%L in (p.stripe_payment_intent_id, p.stripe_charge_id, p.stripe_transfer_id, p.stripe_refund_id)', wanted);
  end if;
  execute 'select array_agg(id) from (select p.id from private.profiles p where '
    || (select string_agg('private.person_text(p.full_name, p.email, p.phone) ilike '
      || quote_literal(private.contains_pattern(w)), ' and ') from unnest(private.search_words(wanted)) w)
    || ' and p.deleted_at is null limit 500) found' into people;
  return format(case when coalesce(cardinality(people), 0) > few
      then '(p.payer_id = any (%1$L::uuid[]) or p.payee_id = any (%1$L::uuid[]))'
      else 'p.id = any (array(select q.id from public.payments q
        where q.payer_id = any (%1$L::uuid[]) or q.payee_id = any (%1$L::uuid[])))' end, coalesce(people, '{}'));
end $$;
