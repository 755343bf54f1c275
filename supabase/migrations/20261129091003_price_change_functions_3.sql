-- Changes of a price after the agreement: functions, part 3.
set check_function_bodies = off;

create function private.expire_change() returns integer
language plpgsql set search_path = '' as $$
declare
  due public.booking_changes;
begin
  select c.* into due from public.booking_changes c left join public.payments p on p.id = c.payment_id
  where c.state in ('proposed', 'accepted') and c.answer_by <= now()
    and (p.escrow_status = 'pending' and p.stripe_payment_intent_id is not null) is not true
  order by c.id limit 1 for no key update of c skip locked;
  if not found then
    return 0;
  end if;
  update public.booking_changes set state = 'lapsed' where id = due.id returning * into due;
  perform private.notify_change(due, b) from public.bookings b where b.id = due.booking_id;
  return 1;
end $$;

create function private.extra_facts(payment public.payments) returns jsonb
language sql immutable set search_path = '' as $$
  select case when payment.part_of is null then '{}' else jsonb_build_object('payment', payment.id) end::jsonb
$$;

create function private.extra_sums(main uuid, out refund numeric, out payout numeric, out facts jsonb)
language sql stable set search_path = '' as $$
  select coalesce(sum(refund_amount), 0), coalesce(sum(payout_amount), 0),
    case when count(*) = 0 then '{}' else jsonb_build_object('payment', main) end::jsonb
  from public.payments where part_of = main and purpose <> 'tip' and escrow_status in ('released', 'refunded')
$$;

create function private.fees_of(purpose text, amount numeric)
returns table (platform_fee numeric, gst numeric, total numeric, payout_amount numeric)
language sql immutable set search_path = '' as $$
  select f.* from private.fees(amount) f where purpose not in ('expense', 'tip')
  union all
  select 0.00, 0.00, amount, amount where purpose in ('expense', 'tip')
$$;

