-- The state of the stand-in for Stripe. Laid at every start outside of production,
-- before the seed; nothing here is reachable through the Data API. Objects are stored as Stripe shows them.
create schema if not exists sandbox;

-- Every Stripe object by its id; `data` is the object as the API answers it, unexpanded, amounts in cents.
create table if not exists sandbox.stripe_objects (
  id text primary key,
  object text not null,
  data jsonb not null,
  created timestamptz not null default now(),
  sequence bigint generated always as identity
);
create index if not exists stripe_objects_list on sandbox.stripe_objects (object, created desc, sequence desc);
create index if not exists stripe_objects_customer on sandbox.stripe_objects (object, (data ->> 'customer'));
create index if not exists stripe_objects_intent on sandbox.stripe_objects (object, (data ->> 'payment_intent'));
create index if not exists stripe_objects_charge on sandbox.stripe_objects (object, (data ->> 'charge'));
create index if not exists stripe_objects_source on sandbox.stripe_objects (object, (data ->> 'source_transaction'));

-- Answers to requests with an Idempotency-Key, kept for 24 hours as Stripe does.
create table if not exists sandbox.stripe_idempotency (
  key text primary key,
  fingerprint text not null,
  status int not null,
  body jsonb not null,
  request_id text not null,
  created timestamptz not null default now()
);

-- Each try to hand an event (a stripe_objects row of object 'event') to the webhook endpoint.
create table if not exists sandbox.stripe_deliveries (
  id bigint generated always as identity primary key,
  event_id text not null,
  status int,
  error text,
  created timestamptz not null default clock_timestamp()
);
create index if not exists stripe_deliveries_event on sandbox.stripe_deliveries (event_id);

-- Misbehaviour a test has asked for: the next `remaining` requests whose "METHOD path" starts with `matches`.
create table if not exists sandbox.stripe_faults (
  id bigint generated always as identity primary key,
  matches text not null,
  fault text not null,
  remaining int not null default 1 check (remaining >= 0)
);
alter table sandbox.stripe_faults drop constraint if exists stripe_faults_fault_check, add constraint stripe_faults_fault_check
  check (fault in ('timeout_after_acting', 'error_before_acting', 'no_answer', 'webhook_before_answer', 'webhook_twice', 'webhook_late'));

-- The seed runs as postgres and puts the demo people's cards, payments and bank account here.
grant usage on schema sandbox to postgres;
grant select, insert, update, delete on
  sandbox.stripe_objects, sandbox.stripe_idempotency, sandbox.stripe_deliveries, sandbox.stripe_faults to postgres;
