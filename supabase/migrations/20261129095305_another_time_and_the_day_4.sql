-- another time and the day: what supabase/schemas define and earlier migrations do not, part 4

set check_function_bodies = off;

create function private.notify_no_show(report public.no_shows) returns void
language plpgsql set search_path = '' as $$
declare
  missing constant uuid := private.missing_person(report);
  page constant text := private.booking_link(report.booking_id);
  news constant jsonb := jsonb_build_object('task', private.task_title(report.booking_id));
begin
  if report.state = 'open' then
    perform private.notify_person(missing, case when missing = report.task_doer_id then 'tasker_missed' else 'giver_missed' end,
      news || jsonb_build_object('person', private.named(report.reported_by), 'at', report.answer_by,
        'when', private.day_and_time(report.answer_by)), page);
    return;
  end if;
  update public.notifications n set read = true
  where n.user_id = missing and not n.read and n.key in ('tasker_missed', 'giver_missed') and n.link like page || '%';
  if report.state = 'objected' then
    perform private.notify_person(report.reported_by, 'no_show_objected', news || jsonb_build_object('person', private.named(missing)), page);
  elsif report.state = 'lapsed' then
    perform private.notify_person(missing, 'no_show_lapsed', news, page);
  end if;
end $$;

create function private.notify_time_proposal(proposal public.time_proposals) returns void
language plpgsql set search_path = '' as $$
declare
  other constant uuid := case proposal.proposed_by when proposal.task_giver_id then proposal.task_doer_id else proposal.task_giver_id end;
  page constant text := private.booking_link(proposal.booking_id);
  news constant jsonb := jsonb_build_object('task', private.task_title(proposal.booking_id), 'at', proposal.starts_at,
    'when', private.day_and_time(proposal.starts_at));
begin
  if proposal.state = 'open' then
    perform private.notify_person(other, 'time_proposed', news || jsonb_build_object('person', private.named(proposal.proposed_by)), page);
    return;
  end if;
  update public.notifications n set read = true
  where n.user_id = other and not n.read and n.key = 'time_proposed' and n.link like page || '%';
  if proposal.state in ('accepted', 'declined') or (proposal.state = 'lapsed' and proposal.answer_by <= now() and exists (
    select from public.bookings b where b.id = proposal.booking_id and b.status in ('accepted', 'in_progress')))
  then
    perform private.notify_person(proposal.proposed_by, case proposal.state when 'accepted' then 'time_accepted'
      when 'declined' then 'time_declined' else 'time_lapsed' end, news || jsonb_build_object('person', private.named(other)), page);
  else
    delete from private.email_events e where e.person_id = other and e.key = 'time_proposed' and e.email_id is null
      and e.link like page || '%';
  end if;
end $$;

create function private.notify_visit(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('person', private.named(booking.task_doer_id),
    'task', private.notified_task_title(booking.task_id));
begin
  if booking.arrived_at is not null and before.arrived_at is null then
    perform private.notify_person(booking.task_giver_id, 'tasker_arrived', news, private.booking_link(booking.id));
  elsif booking.arrives_until is not null and booking.arrives_until is distinct from before.arrives_until then
    perform private.notify_person(booking.task_giver_id, 'tasker_on_the_way', news || jsonb_build_object('at', booking.arrives_until,
      'when', private.day_and_time(booking.arrives_until)), private.booking_link(booking.id));
  end if;
end $$;

create function private.open_no_show_complaint(report public.no_shows) returns void
language plpgsql set search_path = '' as $$
declare
  by_giver constant boolean := report.reported_by = report.task_giver_id;
begin
  perform private.set_actor('tasker');
  update public.bookings set status = 'completed' where id = report.booking_id;
  perform private.set_actor(null);
  insert into public.complaints (booking_id, reason, photos, answer, answer_photos, answered_at)
  values (report.booking_id, case when by_giver then report.words else report.answer end,
    case when by_giver then report.photos else report.answer_photos end,
    case when by_giver then report.answer else report.words end,
    case when by_giver then report.answer_photos else report.photos end, now());
end $$;

create or replace function private.photo_is_kept(bucket text, name text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare
  photo constant text[] := array[replace(name, '.small.jpg', '.jpg')];
  folder constant uuid := private.photo_folder(name);
begin
  if bucket = 'task-photos' then
    return exists (select from public.tasks where photos @> photo and photos <> '{}');
  end if;
  return exists (select from public.bookings where id = folder and completion_photos || before_photos @> photo)
    or exists (select from public.complaints c where c.booking_id = folder and c.photos || c.answer_photos @> photo)
    or exists (select from public.no_shows n where n.booking_id = folder and n.photos || n.answer_photos @> photo);
end $$;

create or replace function private.posted_time(booking public.bookings, scheduled timestamptz) returns timestamptz
language sql stable set search_path = '' as $$
  select case when private.offered_time(booking) is null then private.time_before_proposals(booking.id, scheduled)
    else booking.posted_date end
$$;

create function private.remind_hour_before() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
  news jsonb;
begin
  select b.id, b.task_giver_id, b.task_doer_id, t.title, t.scheduled_date into due
  from public.tasks t join public.bookings b on b.task_id = t.id join public.payments p on p.booking_id = b.id
  where t.status = 'assigned' and t.scheduled_date > now() and t.scheduled_date <= now() + interval '1 hour'
    and b.status = 'in_progress' and b.arrived_at is null
    and p.escrow_status = 'held' and p.held_at <= t.scheduled_date - interval '1 hour'
    and not exists (select from private.work_reminders r where r.booking_id = b.id and r.hour_before = t.scheduled_date)
  order by b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  insert into private.work_reminders (booking_id, scheduled_date, hour_before) values (due.id, due.scheduled_date, due.scheduled_date)
  on conflict (booking_id) do update set scheduled_date = excluded.scheduled_date, hour_before = excluded.hour_before;
  news := jsonb_build_object('task', due.title, 'at', due.scheduled_date, 'when', private.day_and_time(due.scheduled_date));
  perform private.notify_person(due.task_giver_id, 'work_soon',
    news || jsonb_build_object('person', private.named(due.task_doer_id)), private.booking_link(due.id));
  perform private.notify_person(due.task_doer_id, 'work_soon',
    news || jsonb_build_object('person', private.named(due.task_giver_id)), private.booking_link(due.id));
  return 1;
end $$;

create or replace function private.reputation(person uuid) returns table (
  rating numeric, total_reviews integer, completed_tasks integer, response_rate integer, on_time_rate integer,
  trust_score integer
) language sql volatile security definer set search_path = '' as $$
  with shown as (
    select coalesce(round(avg(r.rating), 2), 0) as rating, count(*)::int as total
    from public.reviews r where r.reviewee_id = person and r.visible_from <= clock_timestamp() and r.hidden_at is null
  ), jobs as (
    select count(*) filter (where p.payee_id = person)::int as done, count(*)::int as paid
    from public.payments p join public.bookings b on b.id = p.booking_id and b.status = 'completed'
    where (p.payee_id = person or p.payer_id = person)
      and p.escrow_status in ('released', 'refunded') and p.payout_amount > 0
  ), asked as (
    select b.created_at as at, b.answered_at as answered
    from public.bookings b where b.task_giver_id = person and b.status <> 'pending'
      and (b.answered_at is not null or b.cancelled_by is distinct from b.task_doer_id)
    union all
    select question.at, answer.at
    from public.bookings b
    cross join lateral (select min(m.created_at) as at from public.messages m
      where m.booking_id = b.id and m.receiver_id = person) question
    cross join lateral (select min(m.created_at) as at from public.messages m
      where m.booking_id = b.id and m.sender_id = person and m.created_at >= question.at) answer
    where b.task_doer_id = person and question.at < coalesce(b.completed_at, b.cancelled_at, 'infinity')
      and (answer.at is not null
        or b.status in ('completed', 'cancelled') and question.at + interval '24 hours' <= clock_timestamp())
  ), answers as (
    select coalesce(round(100.0 * count(*) filter (where answered <= at + interval '24 hours') / nullif(count(*), 0)),
      100)::int as rate from asked
  ), due as (
    select b.status = 'completed' and case
        when b.arrived_at is not null
          then b.arrived_at <= t.scheduled_date + make_interval(mins => private.rule('limits.visit.graceMinutes'))
        when t.duration_minutes is not null
          then b.completed_at <= t.scheduled_date + make_interval(mins => t.duration_minutes) + interval '2 hours'
        else b.completed_at
          <= (date_trunc('day', t.scheduled_date at time zone private.time_zone()) + interval '1 day') at time zone private.time_zone()
      end as on_time
    from public.bookings b join public.tasks t on t.id = b.task_id
    where b.task_doer_id = person and (
      (b.status = 'completed' and t.scheduled_date is not null)
      or (b.status = 'cancelled' and b.accepted_at is not null and b.cancelled_by = person))
  ), punctual as (
    select coalesce(round(100.0 * count(*) filter (where on_time) / nullif(count(*), 0)), 100)::int as rate from due
  )
  select shown.rating, shown.total, jobs.done, answers.rate, punctual.rate,
    least(100, greatest(0, round(50
      + case when p.is_verified then 15 else 0 end
      + case when p.background_checked then 5 else 0 end
      + case when p.insured then 5 else 0 end
      + case when shown.total > 0 then (shown.rating - 3) * 10 * least(shown.total, 5) / 5.0 else 0 end
      + least(10, jobs.paid)
      - (100 - punctual.rate) / 5.0
      - (100 - answers.rate) / 10.0)))::int
  from shown, jobs, answers, punctual, public.profiles p where p.id = person
$$;

create function private.require_held_money(booking uuid) returns void
language plpgsql set search_path = '' as $$
declare
  payment public.payments;
begin
  select * into payment from public.payments p where p.booking_id = booking;
  if payment.escrow_status is distinct from 'held' then
    perform private.fail(private.freeze_reason_code(payment), 'booking_id');
  end if;
end $$;

create function private.require_movable(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  payment public.payments;
begin
  perform private.require(booking.status in ('accepted', 'in_progress'), 'time_proposal.not_agreed', 'booking_id');
  select * into payment from public.payments p where p.booking_id = booking.id;
  if payment.escrow_status = 'frozen' then
    perform private.fail(private.freeze_reason_code(payment), 'booking_id');
  end if;
  perform private.require(not private.has_open_no_show(booking.id), 'no_show.open', 'booking_id');
end $$;

create or replace function private.rules() returns json language sql immutable set search_path = '' as $$ select json '{
  "recommendation": {"preferredCategory": 10, "skill": 5},
  "categories": ["Snow Removal", "Cleaning", "Moving", "Delivery", "Handyman", "Gardening", "Pet Care", "Other"],
  "languages": ["en", "es", "fr", "de", "hi", "zh", "ru", "ar", "pt", "id"],
  "phonePattern": "^\\+?[1-9][0-9]{1,14}$",
  "limits": {
    "name": {"min": 2, "max": 100},
    "email": {"max": 255},
    "password": {"min": 8},
    "phone": {"max": 50},
    "city": {"max": 100},
    "bio": {"max": 2000},
    "avatarAddress": {"max": 2000},
    "photoFile": {"max": 20971520, "side": 512},
    "photos": {"count": 5},
    "skills": {"count": 50, "length": 60},
    "experienceYears": {"max": 80},
    "hourlyRate": {"max": 100000},
    "title": {"min": 5, "max": 200},
    "description": {"min": 20, "max": 5000},
    "location": {"min": 3, "max": 200},
    "address": {"min": 3, "max": 300},
    "toolsDescription": {"max": 1000},
    "durationMinutes": {"min": 1, "max": 10080},
    "radiusKm": {"min": 5, "max": 200},
    "applicationMessage": {"max": 1000},
    "offer": {"options": 3, "hours": 72, "counterHours": 48, "moreHours": 24, "daysAhead": 365},
    "offerReason": {"max": 500},
    "counterMessage": {"max": 500},
    "timeProposal": {"hours": 48, "daysAhead": 365, "message": 500},
    "visit": {"hoursBefore": 12, "arrivalHoursBefore": 2, "windowMinutes": 120, "graceMinutes": 15},
    "noShow": {"taskerAfterMinutes": 30, "giverAfterMinutes": 15, "answerHours": 12},
    "applicationTexts": {"count": 20, "title": 60},
    "question": {"max": 500, "perTask": 5, "changeMinutes": 10},
    "chatMessage": {"max": 1000},
    "completionNotes": {"max": 2000},
    "cancellationReason": {"max": 1000},
    "reviewStars": {"min": 1, "max": 5},
    "reviewComment": {"max": 2000},
    "reviewDays": 14,
    "complaint": {"min": 10, "max": 2000, "hours": 24, "answerHours": 48},
    "decisionReason": {"max": 2000},
    "releaseAfterDays": 7,
    "minimumAge": 18,
    "identityDocument": {"max": 10485760, "count": 4},
    "insuranceProvider": {"max": 200},
    "insurancePolicyNumber": {"max": 100},
    "verificationSkills": {"count": 50, "length": 100},
    "taxInformationAbove": 500,
    "savedSearches": 20,
    "alertsPerDay": 10,
    "bankAccount": {"institution": 3, "transit": 5, "account": {"max": 12}}
  }
}' $$;

create or replace function private.schedule_reminder(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  starts constant timestamptz := (select scheduled_date from public.tasks where id = booking.task_id);
  at timestamptz;
begin
  foreach at in array array[starts - interval '24 hours', starts - interval '1 hour'] loop
    if at > now() then
      perform private.schedule_tick(at);
    end if;
  end loop;
end $$;

create function private.settle_no_show() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select n.id into due from public.no_shows n join public.bookings b on b.id = n.booking_id
    join public.payments p on p.booking_id = n.booking_id
  where n.state = 'open' and n.answer_by <= now() and (b.status <> 'in_progress' or p.escrow_status = 'held')
  order by n.answer_by limit 1 for no key update of n skip locked;
  if not found then
    return 0;
  end if;
  update public.no_shows n set state = case b.status when 'in_progress' then 'lapsed' else 'ended' end
  from public.bookings b where n.id = due and b.id = n.booking_id;
  return 1;
end $$;

create function private.time_before_proposals(booking uuid, scheduled timestamptz) returns timestamptz
language sql stable set search_path = '' as $$
  select case when first.id is null then scheduled else first.before_starts_at end
  from (select) as one left join lateral (select p.id, p.before_starts_at from public.time_proposals p
    where p.booking_id = booking and p.state = 'accepted' order by p.answered_at, p.created_at limit 1) first on true
$$;

create or replace function public.cancel_booking(booking_id uuid, reason text default null, list_again boolean default true) returns jsonb
language plpgsql security definer set search_path = '' as $$
begin
  return private.cancel_booking_for(auth.uid(), cancel_booking.booking_id, cancel_booking.reason, cancel_booking.list_again);
end $$;
