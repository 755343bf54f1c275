-- What is kept for a time, and then forgotten: the payment provider's events, each of which was applied as it came and stands in the
-- ledger, and notifications. Never the ledger, receipts or the audit log.

-- In the order in which rows come, so a few bytes for each megabyte of them.
create index stripe_events_oldest on public.stripe_events using brin (received_at);
create index notifications_oldest on public.notifications using brin (created_at);

-- Forgets at most max_rows of each kind, and answers how many: of events those after 90 days, as Stripe sends one again by itself for
-- three days, and by hand for thirty; with a note, which says that a person should look, after two years; notifications that were
-- read after a year, others after two.
create function private.forget_old_rows(max_rows integer default 5000) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  events integer;
  notices integer;
begin
  delete from public.stripe_events where id in (
    select e.id from public.stripe_events e where e.received_at < now() - interval '90 days'
      and (e.note is null or e.received_at < now() - interval '2 years') limit max_rows for update skip locked);
  get diagnostics events = row_count;
  delete from public.notifications where id in (
    select n.id from public.notifications n where n.created_at < now() - interval '1 year'
      and (n.read or n.created_at < now() - interval '2 years') limit max_rows for update skip locked);
  get diagnostics notices = row_count;
  return events + notices;
end $$;

-- A little each minute, from three to five at night in Saskatchewan.
select cron.schedule('forget-old-rows', '* 9-10 * * *', 'select private.forget_old_rows()');
