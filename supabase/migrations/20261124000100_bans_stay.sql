-- Lifting a suspension lifts no ban: since ADR 58 a suspension makes none, so that one which stands is an operator's own.
create or replace function public.lift_suspension(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'Only admins can lift a suspension');
  update public.suspensions set lifted_at = now(), lifted_by = auth.uid() where user_id = person and lifted_at is null;
  perform private.require(found, 'This person is not suspended', 'person');
  update public.tasks set hidden_for = null where task_giver_id = person and hidden_for = 'suspension';
  update private.profiles set hidden_for = null where id = person and hidden_for = 'suspension';
  perform private.notify_person(person, 'suspension_lifted', '{}', '/dashboard');
end $$;
