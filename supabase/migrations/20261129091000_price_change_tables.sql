-- Changes of a price after the agreement: their table, and extra payments.
set check_function_bodies = off;

create type public.change_kind as enum ('increase', 'decrease', 'expense', 'tip');

create type public.change_state as enum ('proposed', 'accepted', 'done', 'declined', 'withdrawn', 'lapsed');

create type public.payment_purpose as enum ('task', 'increase', 'expense', 'tip');

alter type public.receipt_basis add value 'increase';

alter type public.receipt_basis add value 'expense';

alter type public.receipt_basis add value 'tip';

create table public.booking_changes (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null references public.bookings (id) on delete cascade,
  kind public.change_kind not null,
  proposed_by uuid not null references private.profiles (id),
  amount numeric(12, 2) not null check (amount > 0),
  reason text,
  photos text[] not null default '{}',
  state public.change_state not null default 'proposed',
  answer_by timestamptz not null,
  payment_id uuid unique references public.payments (id),
  created_at timestamptz not null default now(),
  answered_at timestamptz,
  done_at timestamptz
);

alter table public.booking_changes enable row level security;

alter table public.bookings add column expense_limit numeric(12,2);

alter table public.complaints add column extras_returned boolean;

alter table public.payments alter column booking_id drop not null;

alter table public.payments add column part_of uuid;

alter table public.payments add column purpose public.payment_purpose default 'task'::public.payment_purpose not null;

alter table public.payments add column reduction numeric(12,2) default 0 not null;

alter table public.bookings add constraint bookings_expense_limit_check CHECK ((expense_limit > (0)::numeric));

alter table public.payments drop constraint payments_check5;

alter table public.payments add constraint payments_check5 CHECK (((reduction >= (0)::numeric) AND (reduction < amount)));

alter table public.payments add constraint payments_check6 CHECK (((payout_amount + refund_amount) <= total));

alter table public.payments add constraint payments_part_check CHECK (((num_nonnulls(booking_id, part_of) = 1) AND ((part_of IS NULL) = (purpose = 'task'::public.payment_purpose))));

alter table public.payments add constraint payments_part_of_fkey FOREIGN KEY (part_of) REFERENCES public.payments(id);

create index booking_changes_due on public.booking_changes (answer_by) where state in ('proposed', 'accepted');

create index booking_changes_of_booking on public.booking_changes (booking_id, created_at);

create index booking_changes_of_proposer on public.booking_changes (proposed_by);

create unique index booking_changes_one_open on public.booking_changes (booking_id, kind) where state in ('proposed', 'accepted');

create index payments_of_main on public.payments (part_of) where part_of is not null;

create policy "both parties read changes of their price, admins all" on public.booking_changes for select to authenticated
using (private.is_party(booking_id) or (select private.is_admin()));

drop function private.settle_decision(public.payments,numeric,public.escrow_status);

drop function public.decide_complaint(uuid,public.complaint_decision,numeric,text,jsonb);

comment on column public.booking_changes.amount is 'Dollars; of an increase or a decrease before fees';

comment on column public.booking_changes.answer_by is 'When it lapses: without an answer, or accepted and not paid';

comment on column public.booking_changes.answered_at is 'When the other side accepted or declined; null before';

comment on column public.booking_changes.done_at is 'When it took effect: charged, or for a decrease accepted; null before';

comment on column public.booking_changes.kind is 'increase and decrease: of the agreed amount; expense: paid by the tasker for the work; tip: after the release';

comment on column public.booking_changes.payment_id is 'The extra payment; null before the giver starts to pay, and of a decrease';

comment on column public.booking_changes.photos is 'Names in the bucket booking-photos, by the person who proposes; of an expense the receipt';

comment on column public.booking_changes.proposed_by is 'The tasker or the giver';

comment on column public.booking_changes.reason is 'Why; null if not given, or after the account was deleted';

comment on column public.booking_changes.state is 'Where it is: new → proposed by one side, a tip → accepted; proposed → accepted when the giver accepts an increase or expense, which is then to be paid; proposed → done when a decrease is accepted; accepted → done when Stripe reports the charge; proposed | accepted → declined by the other side; proposed | accepted → withdrawn by the person who proposed; proposed | accepted → lapsed at answer_by, or when the booking''s money leaves escrow';

comment on column public.bookings.expense_limit is 'Dollars of expenses that the tasker can hand in, set by the giver in advance; null for none';

comment on column public.complaints.extras_returned is 'Whether the decision returns the booking''s extra payments, too; null before the decision, and for a split without any';

comment on column public.complaints.returned_amount is 'Dollars of the task''s price that are returned; fees follow in proportion; null before the decision';

comment on column public.payments.amount is 'Dollars before fees: the booking''s agreed_amount, or the amount of the change';

comment on column public.payments.booking_id is 'Null for an extra payment, whose booking is that of part_of';

comment on column public.payments.part_of is 'The booking''s payment that this one is an extra of; null for that payment itself';

comment on column public.payments.purpose is 'task: the booking; otherwise the kind of the change that this extra payment pays';

comment on column public.payments.reduction is 'Dollars of amount that both agreed to take off; they go back with their fees when the payment is settled';

comment on column public.receipts.basis is 'What the total is based on: the task''s amount, a cancellation fee, an admin''s decision, or an increase, expense or tip';

comment on table public.booking_changes is 'Changes of a booking''s price after the agreement, and what becomes of them; only database functions write rows';

comment on table public.payments is 'One row for each booking that is paid, or about to be, and for each extra payment, with the state of its money';

insert into private.notification_texts (key, kind, title, message, subject, button, amounts, by_email, part, topic) values
  ('increase_proposed', 'payments', 'Increase of the price', '{{person}} asks for {{amount, money}} more for "{{task}}". You would pay {{total, money}} in all for it. Answer by {{when}}, {{clock}}.', '{{person}} asks for {{amount, money}} more for "{{task}}"', 'Answer', null, true, null, null),
  ('expense_submitted', 'payments', 'New expense', '{{person}} added an expense of {{amount, money}} for "{{task}}", with a photo of the receipt. Answer by {{when}}, {{clock}}.', '{{person}} added an expense of {{amount, money}} for "{{task}}"', 'Answer', null, true, null, null),
  ('decrease_proposed', 'payments', 'Lower price', '{{person}} proposes to lower the price of "{{task}}" by {{amount, money}}. Answer by {{when}}, {{clock}}.', '{{person}} proposes to lower the price of "{{task}}" by {{amount, money}}', 'Answer', null, true, null, null),
  ('decrease_accepted', 'payments', 'Price lowered', '{{person}} agreed to lower the price of "{{task}}" by {{amount, money}}. The task giver gets {{total, money}} back when the work is confirmed.', '{{person}} agreed to lower the price of "{{task}}" by {{amount, money}}', 'Open the booking', null, true, null, null),
  ('change_paid', 'payments', 'Extra payment secured', '{{person}} paid {{amount, money}} more for "{{task}}". It is held in escrow and released with the rest.', '{{person}} paid {{amount, money}} more for "{{task}}"', 'Open the booking', null, true, null, null),
  ('change_declined', 'payments', 'Change declined', '{{person}} declined your change of {{amount, money}} for "{{task}}". The price stays as it was.', '{{person}} declined your change of {{amount, money}} for "{{task}}"', 'Open the booking', null, true, null, null),
  ('change_lapsed', 'payments', 'Change lapsed', 'Your change of {{amount, money}} for "{{task}}" was not answered or paid in time. The price stays as it was.', 'Your change of {{amount, money}} for "{{task}}" was not answered or paid', 'Open the booking', null, true, null, null),
  ('tip_received', 'payments', 'Tip received', '{{person}} gave you a tip of {{amount, money}} for "{{task}}". All of it is yours.', '{{person}} gave you a tip of {{amount, money}} for "{{task}}"', 'Open the booking', null, true, null, null),
  ('expense_limit_set', 'payments', 'Limit for expenses', '{{person}} pays expenses for "{{task}}" up to {{amount, money}}. Add each with a photo of its receipt.', '{{person}} pays expenses for "{{task}}" up to {{amount, money}}', 'Open the booking', null, true, null, null);
