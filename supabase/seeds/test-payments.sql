-- The demo, third part: the payment provider's side of the jobs, when the sandbox stands in for it. Runs once, in one
-- transaction, after them.

do $$
begin
  if to_regclass('sandbox.stripe_objects') is null then
    return;
  end if;

  insert into sandbox.stripe_objects (id, object, data, created)
  select a.stripe_account_id, 'account', jsonb_build_object('id', a.stripe_account_id, 'object', 'account',
    'type', 'custom', 'country', 'CA', 'default_currency', 'cad', 'email', p.email, 'business_type', 'individual',
    'business_profile', '{"mcc": "7299", "product_description": "Local tasks"}'::jsonb, 'controller', '{"type": "application", "is_controller": true}'::jsonb, 'settings', '{}'::jsonb,
    'capabilities', '{"transfers": "active"}'::jsonb, 'charges_enabled', false, 'payouts_enabled', true,
    'details_submitted', true, 'created', extract(epoch from a.created_at)::bigint,
    'individual', jsonb_build_object('first_name', split_part(p.full_name, ' ', 1), 'last_name', split_part(p.full_name, ' ', 2),
      'dob', '{"day": 4, "month": 5, "year": 1988}'::jsonb,
      'address', '{"line1": "12 Elm St", "city": "Saskatoon", "state": "SK", "postal_code": "S7K 1N1", "country": "CA"}'::jsonb),
    'tos_acceptance', jsonb_build_object('date', extract(epoch from a.created_at)::bigint, 'ip', '127.0.0.1'),
    'requirements', '{"alternatives": [], "current_deadline": null, "currently_due": [], "disabled_reason": null, "errors": [], "eventually_due": [], "past_due": [], "pending_verification": []}'::jsonb,
    'future_requirements', '{"alternatives": [], "current_deadline": null, "currently_due": [], "disabled_reason": null, "errors": [], "eventually_due": [], "past_due": [], "pending_verification": []}'::jsonb,
    'external_accounts', jsonb_build_object('object', 'list', 'has_more', false, 'total_count', 1,
      'url', '/v1/accounts/' || a.stripe_account_id || '/external_accounts', 'data', jsonb_build_array(jsonb_build_object(
        'id', 'ba_demo_' || substr(a.stripe_account_id, 11), 'object', 'bank_account', 'account', a.stripe_account_id,
        'country', 'CA', 'currency', 'cad', 'bank_name', 'STRIPE TEST BANK', 'last4', a.bank_last4,
        'default_for_currency', true, 'status', 'new', 'routing_number', '11000-000', 'metadata', '{}'::jsonb))),
    'metadata', jsonb_build_object('user_id', a.user_id)), a.created_at
  from public.payout_accounts a join public.profiles p on p.id = a.user_id;

  insert into sandbox.stripe_objects (id, object, data, created)
  select 'cus_demo_' || split_part(p.email, '@', 1), 'customer', jsonb_build_object(
    'id', 'cus_demo_' || split_part(p.email, '@', 1), 'object', 'customer', 'email', p.email, 'name', p.full_name,
    'balance', 0, 'created', extract(epoch from p.created_at)::bigint, 'livemode', false,
    'invoice_settings', '{"default_payment_method": null}'::jsonb, 'preferred_locales', '[]'::jsonb,
    'metadata', jsonb_build_object('user_id', p.id)), p.created_at
  from public.profiles p where p.email = 'grace@example.com';

  insert into sandbox.stripe_objects (id, object, data, created)
  select 'pm_demo_' || payer, 'payment_method', jsonb_build_object(
    'id', 'pm_demo_' || payer, 'object', 'payment_method', 'type', 'card', 'livemode', false, 'metadata', '{}'::jsonb,
    'customer', case when payer = 'grace' then 'cus_demo_grace' end, 'created', extract(epoch from now())::bigint,
    'billing_details', '{"address": {"city": null, "country": null, "line1": null, "line2": null, "postal_code": null, "state": null}, "email": null, "name": null, "phone": null}'::jsonb,
    'card', jsonb_build_object('brand', 'visa', 'display_brand', 'visa', 'last4', '4242', 'exp_month', 12,
      'exp_year', extract(year from now())::int + 3, 'country', 'US', 'funding', 'credit',
      'fingerprint', 'demo' || left(md5(payer), 12), 'networks', '{"available": ["visa"], "preferred": null}'::jsonb,
      'checks', '{"cvc_check": "pass"}'::jsonb, 'three_d_secure_usage', '{"supported": true}'::jsonb)), now()
  from (select distinct split_part(g.email, '@', 1) as payer from public.payments p join public.profiles g on g.id = p.payer_id) as payers;

  -- Intents, charges, refunds and transfers of every payment, each with its movement on the balance.
  create temp table demo_money on commit drop as
  select p.*, (p.total * 100)::bigint as cents, split_part(g.email, '@', 1) as payer,
    substr(p.stripe_payment_intent_id, 9) as mark, extract(epoch from p.held_at)::bigint as paid_at,
    extract(epoch from coalesce(p.released_at, p.refunded_at))::bigint as settled_at, a.stripe_account_id
  from public.payments p join public.profiles g on g.id = p.payer_id
  left join public.payout_accounts a on a.user_id = p.payee_id where p.stripe_charge_id is not null;

  insert into sandbox.stripe_objects (id, object, data, created)
  select stripe_payment_intent_id, 'payment_intent', jsonb_build_object('id', stripe_payment_intent_id,
    'object', 'payment_intent', 'amount', cents, 'amount_received', cents, 'amount_capturable', 0, 'currency', 'cad',
    'status', 'succeeded', 'client_secret', stripe_payment_intent_id || '_secret_demo', 'capture_method', 'automatic_async',
    'confirmation_method', 'automatic', 'customer', case when payer = 'grace' then 'cus_demo_grace' end,
    'payment_method', 'pm_demo_' || payer, 'payment_method_types', '["card"]'::jsonb, 'latest_charge', stripe_charge_id,
    'last_payment_error', null, 'next_action', null, 'setup_future_usage', null, 'canceled_at', null,
    'cancellation_reason', null, 'transfer_group', booking_id, 'livemode', false, 'created', paid_at,
    'metadata', jsonb_build_object('payment_id', id, 'booking_id', booking_id, 'task_id', task_id)), held_at
  from demo_money;

  insert into sandbox.stripe_objects (id, object, data, created)
  select stripe_charge_id, 'charge', jsonb_build_object('id', stripe_charge_id, 'object', 'charge', 'amount', cents,
    'amount_captured', cents, 'amount_refunded', (refunded_amount * 100)::bigint, 'refunded', refunded_amount = total,
    'currency', 'cad', 'status', 'succeeded', 'paid', true, 'captured', true, 'disputed', false, 'livemode', false,
    'customer', case when payer = 'grace' then 'cus_demo_grace' end, 'payment_intent', stripe_payment_intent_id,
    'payment_method', 'pm_demo_' || payer, 'transfer_group', booking_id, 'balance_transaction', 'txn_demo_ch_' || mark,
    'billing_details', '{}'::jsonb, 'payment_method_details', '{"type": "card", "card": {"brand": "visa", "last4": "4242"}}'::jsonb,
    'failure_code', null, 'failure_message', null, 'failure_balance_transaction', null, 'receipt_email', null,
    'receipt_number', null, 'receipt_url', null, 'fraud_details', '{}'::jsonb, 'outcome', '{"advice_code": null,
      "network_advice_code": null, "network_decline_code": null, "network_status": "approved_by_network", "reason": null,
      "risk_level": "normal", "seller_message": "Payment complete.", "type": "authorized"}'::jsonb,
    'created', paid_at, 'metadata', jsonb_build_object('payment_id', id, 'booking_id', booking_id)), held_at
  from demo_money;

  insert into sandbox.stripe_objects (id, object, data, created)
  select stripe_refund_id, 'refund', jsonb_build_object('id', stripe_refund_id, 'object', 'refund',
    'amount', (refund_amount * 100)::bigint, 'currency', 'cad', 'charge', stripe_charge_id, 'status', 'succeeded',
    'payment_intent', stripe_payment_intent_id, 'balance_transaction', 'txn_demo_re_' || mark, 'reason', null,
    'created', settled_at, 'metadata', jsonb_build_object('payment_id', id)), refunded_at
  from demo_money where stripe_refund_id is not null;

  insert into sandbox.stripe_objects (id, object, data, created)
  select stripe_transfer_id, 'transfer', jsonb_build_object('id', stripe_transfer_id, 'object', 'transfer',
    'amount', (payout_amount * 100)::bigint, 'amount_reversed', 0, 'reversed', false, 'currency', 'cad',
    'destination', stripe_account_id, 'destination_payment', 'py_demo_' || mark, 'source_transaction', stripe_charge_id,
    'source_type', 'card', 'transfer_group', booking_id, 'balance_transaction', 'txn_demo_tr_' || mark, 'livemode', false,
    'description', null, 'reversals', jsonb_build_object('object', 'list', 'data', '[]'::jsonb, 'has_more', false,
      'total_count', 0, 'url', '/v1/transfers/' || stripe_transfer_id || '/reversals'),
    'created', settled_at, 'metadata', jsonb_build_object('payment_id', id, 'booking_id', booking_id)),
    coalesce(released_at, refunded_at)
  from demo_money where stripe_transfer_id is not null;

  insert into sandbox.stripe_objects (id, object, data, created)
  select 'txn_demo_' || m.prefix || '_' || d.mark, 'balance_transaction', jsonb_build_object(
    'id', 'txn_demo_' || m.prefix || '_' || d.mark, 'object', 'balance_transaction', 'type', m.type, 'source', m.source,
    'amount', m.cents, 'fee', m.fee, 'net', m.cents - m.fee, 'currency', 'cad', 'status', 'available',
    'reporting_category', m.type, 'fee_details', '[]'::jsonb, 'created', m.at, 'available_on', m.at), to_timestamp(m.at)
  from demo_money d cross join lateral (values
    ('ch', 'charge', d.stripe_charge_id, d.cents, round(d.cents * 0.029)::bigint + 30, d.paid_at),
    ('re', 'refund', d.stripe_refund_id, -(d.refund_amount * 100)::bigint, 0, d.settled_at),
    ('tr', 'transfer', d.stripe_transfer_id, -(d.payout_amount * 100)::bigint, 0, d.settled_at)
  ) as m (prefix, type, source, cents, fee, at) where m.source is not null;
end $$;

-- Events of the demo's past are not mailed.
delete from private.email_events;
delete from pgmq.q_effects where message ->> 'function' = 'send-emails';

-- The card that paid them, as its receipts name it.
update public.receipts set card_brand = 'visa', card_last4 = '4242' where kind = 'receipt';
