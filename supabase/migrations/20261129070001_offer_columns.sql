-- Columns for offers of another price, and for one counter-offer.
alter table public.bookings add column accepted_option integer;
alter table public.bookings add column answer_by timestamp with time zone;
alter table public.bookings add column counter_amount numeric;
alter table public.bookings add column counter_message text;
alter table public.bookings add column counter_starts_at timestamp with time zone;
alter table public.bookings add column counter_state text;
alter table public.bookings add column offer_options jsonb;
alter table public.bookings add column offer_reason text;
alter table public.bookings add column posted_date timestamp with time zone;
alter table public.tasks add column offers_allowed boolean default true not null;
alter table public.bookings add constraint bookings_counter_state_check CHECK ((counter_state = ANY (ARRAY['open'::text, 'declined'::text, 'lapsed'::text, 'accepted'::text])));

create index bookings_offers_due on public.bookings (answer_by) where status = 'pending' and answer_by is not null;
comment on column public.bookings.accepted_option is 'The position in offer_options that the giver accepted, from 1; null for none';
comment on column public.bookings.agreed_amount is 'Dollars before fees: the task''s price when the tasker applied; what the giver pays even if the price changes. Of an offer: its first option, and once accepted the accepted option or the counter-offer';
comment on column public.bookings.answer_by is 'When the offer, or the open counter-offer, lapses; null without an offer';
comment on column public.bookings.counter_amount is 'The giver''s counter-offer in dollars before fees; null for none';
comment on column public.bookings.counter_message is 'The giver''s text with the counter-offer; null if not given';
comment on column public.bookings.counter_starts_at is 'When the work begins by the counter-offer; null for the task''s time';
comment on column public.bookings.counter_state is 'Where the counter-offer is: new → open when the giver makes it; open → accepted | declined by the tasker; open → lapsed at answer_by. Null for none';
comment on column public.bookings.offer_options is 'The tasker''s prices instead of the posted one: [{amount, starts_at}], one to three, dollars before fees, starts_at null for the task''s time; null for an application at the posted price';
comment on column public.bookings.offer_reason is 'Why the tasker offers another price; null without an offer';
comment on column public.bookings.posted_date is 'The task''s time before an accepted offer changed it, which returns if the booking is cancelled; null for none';
comment on column public.bookings.status is 'Where the booking is: new → pending when the tasker applies; pending → accepted when the giver accepts the application, or the tasker the giver''s counter-offer; pending → rejected when the giver declines, accepts another application or withdraws the task; pending → cancelled when the tasker withdraws, or without an answer after 30 days, an offer at answer_by; accepted → in_progress when the payment is held; accepted → cancelled when either person cancels, or when it is not paid in time; in_progress → completed when the tasker marks the work complete; in_progress → cancelled when either person cancels, or when the payment is taken back or refunded by an admin; rejected → pending when the giver takes the decline back within 10 minutes';
comment on column public.tasks.offers_allowed is 'Whether taskers may offer another price or time than the posted one';
