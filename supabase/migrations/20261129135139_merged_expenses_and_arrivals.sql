-- merged expenses and arrivals: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create or replace function private.before_task_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' or private.is_edited(new, old) then
    new := private.tidy_task(new);
  end if;
  if private.is_client() then
    new := private.touch_task(new);
  end if;
  if tg_op = 'INSERT' then
    new := private.hold_task(new);
    perform private.require_active_account();
    if private.is_client() then
      perform private.check_task_poster(new);
      perform private.count_new_task(new.asked_tasker_id);
    end if;
    perform private.check_asked_tasker(new);
  elsif tg_op = 'UPDATE' then
    if private.is_client() then
      if new.status = old.status then
        perform private.require_active_giver();
        perform private.limit_task_changes(new.id);
      end if;
      perform private.check_task_is_free(new, old);
      perform private.check_task_step(new, old);
    end if;
    if old.status not in ('open', 'asked') then
      new := private.hold_task(new);
    end if;
  end if;
  if tg_op = 'INSERT' or private.is_edited(new, old) then
    perform private.check_task_title(new, old);
    perform private.check_task_description(new);
    perform private.check_task_category(new);
    perform private.check_task_location(new);
    perform private.check_task_pay(new);
    if new.offers_allowed is null then
      perform private.fail('task.offers_allowed_invalid', 'offers_allowed');
    end if;
    if new.expense_limit is not null then
      perform private.check_task_expenses(new);
    end if;
    perform private.check_task_tools(new);
    perform private.check_task_schedule(new, old);
    perform private.check_task_duration(new);
    new := private.check_task_photos(new, old);
    new := private.round_pay(new);
    new := private.locate_task(new, old);
    -- Once agreed, the series keeps its days, and its first visit can move to any other.
    if new.repeats is not null and new.series_id is null then
      new := private.check_repeats(new);
    end if;
    if new.asked_tasker_id is not null then
      perform private.check_asked_time(new, old);
    end if;
  end if;
  new := private.update_request_deadline(new, old);
  return new;
end $$;

create or replace function public.set_expense_limit(booking_id uuid, amount numeric) returns void
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  lowest constant numeric := private.rule('limits.change.min');
  highest constant numeric := private.rule('limits.expenses.max');
begin
  booking := private.lock_own_booking(set_expense_limit.booking_id);
  perform private.require(booking.id is not null, 'booking.not_found', 'booking_id');
  perform private.require_active_account();
  perform private.allow(auth.uid() = booking.task_giver_id, 'change.limit_not_giver');
  perform private.require(booking.status in ('accepted', 'in_progress'), 'change.not_under_way', 'booking_id');
  if booking.expense_limit is not distinct from amount then
    return;
  end if;
  perform private.require(coalesce(amount, 0) >= coalesce(booking.expense_limit, 0), 'change.limit_lowered', 'amount',
    jsonb_build_object('limit', booking.expense_limit));
  perform private.require(amount >= lowest, 'change.limit_too_low', 'amount', jsonb_build_object('min', lowest));
  perform private.require(amount <= highest, 'change.amount_too_high', 'amount', jsonb_build_object('max', highest));
  perform private.require(amount = round(amount, 2), 'change.amount_too_precise', 'amount');
  update public.bookings set expense_limit = amount where id = booking.id;
  perform private.notify_person(booking.task_doer_id, 'expense_limit_set', jsonb_build_object('amount', round(amount, 2),
    'person', private.named(booking.task_giver_id), 'task', private.task_title(booking.id)), private.booking_link(booking.id));
end $$;

comment on column private.profiles.on_time_rate is 'Percentage of scheduled jobs to which the tasker came in time; 100 while none counts; the formula is at private.reputation';
