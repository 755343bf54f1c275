-- Looks up whom the reader knows once in a statement, and spares a new task checks that change nothing.
set check_function_bodies = off;

create function private.acquaintances() returns setof uuid
language plpgsql stable security definer rows 20 set search_path = '' as $$
declare
  reader constant uuid := private.reader();
begin
  return query
    select reader
    union all
    select case reader when b.task_giver_id then b.task_doer_id else b.task_giver_id end from public.bookings b
    where b.task_giver_id = reader or b.task_doer_id = reader
    union all
    select t.task_giver_id from public.tasks t
    where t.asked_tasker_id = reader and t.status = 'asked' and t.hidden_for is null
    union all
    select t.asked_tasker_id from public.tasks t where t.task_giver_id = reader and t.status = 'asked';
end $$;

create or replace function private.after_task_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_kinds(new, old);
  perform private.count_task(new, old);
  if tg_op = 'INSERT' then
    if new.status = 'asked' then
      perform private.notify_asked_tasker(new);
    end if;
    if new.photos <> '{}' then
      perform private.record_task_photos(new);
    end if;
    if new.status = 'open' and new.scheduled_date is not null then
      perform private.schedule_task_expiry(new);
    end if;
  elsif tg_op = 'DELETE' then
    perform private.drop_task_photos(old);
  elsif tg_op = 'UPDATE' then
    if new.photos <> old.photos then
      perform private.drop_task_photos(old);
    end if;
    if new.status in ('open', 'asked') and new.status = old.status and private.is_edited(new, old) then
      perform private.notify_task_changes(new, old);
    end if;
    if old.status in ('open', 'asked') and new.status = 'cancelled' then
      perform private.decline_waiting_applications(new.id);
    end if;
    if old.status = 'asked' and new.status = 'cancelled' and new.hidden_for is null then
      perform private.notify_withdrawn_request(new, old);
    end if;
    if old.hidden_for is distinct from new.hidden_for and new.hidden_for = 'report' then
      perform private.redact_hidden_task(new);
    end if;
    if new.photos <> '{}' and (new.hidden_for is distinct from old.hidden_for
      or (new.hidden_for is not null and new.photos <> old.photos)) then
      perform private.queue_file_moves();
    end if;
    if new.photos <> old.photos then
      perform private.record_task_photos(new);
    end if;
    if new.status = 'open' and (new.status, new.scheduled_date) is distinct from (old.status, old.scheduled_date) then
      perform private.schedule_task_expiry(new);
    end if;
  end if;
  return null;
end $$;

create or replace function private.check_at_once(wanted text, present bigint) returns void
language plpgsql security definer set search_path = '' as $$
declare
  limits private.activity_limits;
begin
  select * into limits from private.activity_limits where action = wanted;
  if (present >= least(limits.at_once, limits.new_at_once)) is not true or auth.uid() is null or private.is_admin() then
    return;
  end if;
  if private.is_new_account(auth.uid(), limits.new_for) then
    limits.at_once := least(limits.new_at_once, limits.at_once);
  end if;
  if present >= limits.at_once then
    perform private.fail('activity.too_many_at_once', null, jsonb_build_object('limit', limits.at_once), 'PT429');
  end if;
end $$;

create function private.counterparts() returns setof uuid
language plpgsql stable security definer rows 20 set search_path = '' as $$
declare
  reader constant uuid := private.reader();
begin
  return query
    select reader
    union all
    select case reader when b.task_giver_id then b.task_doer_id else b.task_giver_id end from public.bookings b
    where (b.task_giver_id = reader or b.task_doer_id = reader) and b.status in ('accepted', 'in_progress', 'completed');
end $$;

create or replace function private.look_of(value text) returns text
language sql immutable set search_path = '' as $$
  select case when octet_length(value) = length(value) then translate(lower(value), '013457@$|!i', 'oleastaslll')
  else translate(
    normalize(regexp_replace(normalize(lower(normalize(value, NFKC)), NFKD), '[\u0300-\u036f]', '', 'g'), NFKC),
    '013457аеорсухкмтвніјѕԁԛԝӏгпѡһүԍαεορκωντιυηχγıɑɡɩʟʀᴀʙᴄᴅᴇꜰɢʜɪᴊ'
    'ᴋᴍɴᴏᴘꜱᴛᴜᴠᴡʏᴢƙłøđ@$|!🅐🅑🅒🅓🅔🅕🅖🅗🅘🅙🅚🅛🅜🅝🅞🅟🅠🅡🅢🅣🅤🅥🅦🅧🅨🅩🅰🅱🅲🅳🅴🅵🅶🅷🅸🅹🅺🅻🅼🅽'
    '🅾🅿🆀🆁🆂🆃🆄🆅🆆🆇🆈🆉🄰🄱🄲🄳🄴🄵🄶🄷🄸🄹🄺🄻🄼🄽🄾🄿🅀🅁🅂🅃🅄🅅🅆🅇🅈🅉🇦🇧🇨🇩🇪🇫🇬🇭🇮🇯🇰🇱🇲🇳🇴🇵🇶🇷🇸🇹🇺🇻'
    '🇼🇽🇾🇿i',
    'oleastaeopcyxkmtbhljsdqwlrnwhygaeopkwvtlunxylagllrabcdefghlj'
    'kmnopstuvwyzklodasllabcdefghljklmnopqrstuvwxyzabcdefghljklmn'
    'opqrstuvwxyzabcdefghljklmnopqrstuvwxyzabcdefghljklmnopqrstuv'
    'wxyzl')
  end
$$;

create or replace view public.public_profiles as
select p.id,
  case when (select private.can_read_everyone()) or p.id in (select private.counterparts())
    then p.full_name else p.short_name end as full_name,
  case when p.hidden_for is distinct from 'report' then p.avatar_url end as avatar_url,
  case when not v.withheld and p.hidden_for is distinct from 'report' then p.bio end as bio,
  case when not v.withheld then p.city end as city, p.rating, p.total_reviews, p.completed_tasks, p.response_rate,
  p.on_time_rate, p.trust_score,
  case when v.withheld or p.hidden_for = 'report' then '{}' else p.skills end as skills,
  case when not v.withheld then p.experience_years end as experience_years,
  case when not v.withheld then p.hourly_rate end as hourly_rate, p.availability_status, p.verification_level,
  p.created_at, p.role, p.is_verified, p.id_verified, p.background_checked, p.insured, v.withheld as is_hidden
from private.profiles p,
  lateral (select case when p.visibility = 'hidden' then not private.can_see_person(p.id) else false end as withheld) v
-- Lists of open tasks and of taskers show people for whom one of the first two conditions holds.
where
  -- As private.listed_taskers.
  p.id_verified and 'task_doer' = any (p.roles) and p.full_name <> '' and p.hidden_for is null and p.visibility = 'public'
  or exists (select from public.tasks t where t.task_giver_id = p.id and t.status = 'open' and t.hidden_for is null)
  or exists (select from public.reviews r where r.reviewer_id = p.id and r.visible_from <= now() and r.hidden_at is null)
  or (select private.can_read_everyone())
  or p.id in (select private.acquaintances());

grant execute on function private.acquaintances() to anon;
grant execute on function private.acquaintances() to authenticated;
grant execute on function private.acquaintances() to service_role;
grant execute on function private.counterparts() to anon;
grant execute on function private.counterparts() to authenticated;
grant execute on function private.counterparts() to service_role;
