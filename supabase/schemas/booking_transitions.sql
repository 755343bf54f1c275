-- The allowed steps of a booking: from, to, actor. check_booking_step in booking_steps.sql refuses all others.

create table private.booking_transitions (
  from_status public.booking_status,
  to_status public.booking_status not null,
  actor private.booking_actor not null,
  unique nulls not distinct (from_status, to_status, actor)
);
alter table private.booking_transitions enable row level security;

comment on table private.booking_transitions is 'A booking''s whole life: nothing else is possible';
comment on column private.booking_transitions.from_status is 'Status before the step; null for the application itself';
comment on column private.booking_transitions.to_status is 'Status after the step';
comment on column private.booking_transitions.actor is
  'Who makes the step: tasker, giver, payment (a verified webhook), cancellation (handle-cancellation), choice (another '
  'application was accepted, or the task was withdrawn) or schedule';

create policy "signed-in people read booking transitions" on private.booking_transitions for select
to authenticated, service_role using (true);

grant select on private.booking_transitions to authenticated, service_role;

-- Sets the actor for the steps that our own functions make next; null: none. For clients, booking_actor derives it from their
-- user id.
create function private.set_actor(actor private.booking_actor) returns void
language sql set search_path = '' as $$
  select set_config('meadowlark.actor', actor::text, true)
$$;

-- The actor of a step of this booking. A client can only be its tasker or its giver.
create function private.booking_actor(tasker uuid, giver uuid) returns private.booking_actor
language sql stable set search_path = '' as $$
  select case
    when not private.is_client() then nullif(current_setting('meadowlark.actor', true), '')::private.booking_actor
    when tasker = auth.uid() then 'tasker'
    when giver = auth.uid() then 'giver'
  end
$$;

grant execute on function
  private.booking_actor(uuid, uuid)
to authenticated, service_role;

insert into private.booking_transitions (from_status, to_status, actor) values
  (null, 'pending', 'tasker'),
  (null, 'accepted', 'schedule'),
  ('pending', 'accepted', 'giver'),
  ('pending', 'accepted', 'tasker'),
  ('pending', 'rejected', 'giver'),
  ('pending', 'rejected', 'choice'),
  ('pending', 'cancelled', 'tasker'),
  ('pending', 'cancelled', 'schedule'),
  ('accepted', 'in_progress', 'payment'),
  ('accepted', 'cancelled', 'tasker'),
  ('accepted', 'cancelled', 'giver'),
  ('accepted', 'cancelled', 'schedule'),
  ('in_progress', 'completed', 'tasker'),
  ('in_progress', 'cancelled', 'payment'),
  ('in_progress', 'cancelled', 'cancellation'),
  ('rejected', 'pending', 'giver');
