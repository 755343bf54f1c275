-- The lists of verifications, complaints and chargebacks, as the rest of the back office: paged by the last row that was read,
-- and searched by the people of a payment and the task.

create index verifications_waiting on public.verifications (updated_at, user_id) where verification_status = 'pending';
create index complaints_waiting on public.complaints (created_at, id) where decision is null;
create index complaints_by_decision on public.complaints (decided_at desc, id desc) where decision is not null;
create index disputes_by_age on public.disputes (created_at desc, id desc);
create index disputes_by_state on public.disputes (status, created_at desc, id desc);
drop index public.complaints_open, public.complaints_decided, public.disputes_newest;

-- That every word of a search stands in a person `p`, as SQL; null without words.
create function private.person_search(query text) returns text
language sql stable set search_path = '' as $$
  select string_agg('private.person_text(p.full_name, p.email, p.phone) ilike ' || quote_literal(private.contains_pattern(w)),
    ' and ') from unnest(private.search_words(query)) w
$$;

-- People as the verification list shows them, `waiting_since` set while a decision is due: everybody, the newest first, or
-- those who wait for one, who has waited longest first. All words of the text stand in name, e-mail or phone. The page after
-- the row with (after_at, after_id), which are its `place` and id; at most 100.
create function public.find_people_to_verify(query text default '', waiting boolean default false,
  after_at timestamptz default null, after_id uuid default null, max_results integer default 50)
returns table (id uuid, full_name text, email text, phone text, avatar_url text, created_at timestamptz, role public.app_role,
  is_verified boolean, verified_by_admin boolean, verified_name text, verification_notes text, waiting_since timestamptz,
  place timestamptz)
language plpgsql stable security definer set search_path = '' as $$
declare
  place constant text := case when waiting then 'v.updated_at, v.user_id' else 'p.created_at, p.id' end;
begin
  perform private.allow(private.is_admin(), 'Only admins can look through people');
  return query execute concat_ws(' ',
    'select p.id, p.full_name, p.email, p.phone, p.avatar_url, p.created_at, p.role, p.is_verified, p.verified_by_admin,',
    'p.verified_name, p.verification_notes,',
    'case when v.verification_status = ''pending'' then coalesce(v.terms_accepted_at, v.updated_at) end,',
    case when waiting then 'v.updated_at from public.verifications v join private.profiles p on p.id = v.user_id'
      else 'p.created_at from private.profiles p left join public.verifications v on v.user_id = p.id' end,
    'where p.deleted_at is null', case when waiting then 'and v.verification_status = ''pending''' end,
    'and ' || private.person_search(query),
    case when after_at is not null then format('and (%s) %s (%L, %L)', place, case when waiting then '>' else '<' end,
      after_at, after_id) end,
    'order by', case when waiting then place else replace(place, ',', ' desc,') || ' desc' end,
    'limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

-- Complaints that wait, the oldest first, or those that are decided, the latest first; each word stands in the task's title or
-- in a name of the two. The page after the row with (after_at, after_id): its created_at, or decided_at, and id; at most 100.
drop function public.find_complaints(text, boolean, integer, integer);
create function public.find_complaints(query text default '', decided boolean default false,
  after_at timestamptz default null, after_id uuid default null, max_results integer default 50)
returns setof public.complaints language plpgsql stable security definer set search_path = '' as $$
declare
  patterns constant text[] := (
    select coalesce(array_agg(private.contains_pattern(w)), '{}') from unnest(private.search_words(query)) w);
begin
  perform private.allow(private.is_admin(), 'Only admins can look through complaints');
  return query execute concat_ws(' ',
    'select c.* from public.complaints c where c.decision', case when decided then 'is not null' else 'is null' end,
    case when patterns <> '{}' then format('and exists (select from public.payments p join public.tasks t on t.id = p.task_id
        join private.profiles giver on giver.id = c.giver_id join private.profiles tasker on tasker.id = c.tasker_id
      where p.id = c.payment_id and concat_ws(%L, t.title, giver.full_name, tasker.full_name) ilike all (%L))', E'\n', patterns)
    end,
    case when after_at is not null then format(case when decided then 'and (c.decided_at, c.id) < (%L, %L)'
      else 'and (c.created_at, c.id) > (%L, %L)' end, after_at, after_id) end,
    'order by', case when decided then 'c.decided_at desc, c.id desc' else 'c.created_at, c.id' end,
    'limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

-- Chargebacks and inquiries, the newest first. `state` is to_answer, under_review, won, lost or all; the query is an id of ours or
-- of the provider, or words of either person. The page after the row (before_at, before_id); at most 100.
create function public.find_disputes(query text default '', state text default 'all',
  before_at timestamptz default null, before_id text default null, max_results integer default 50)
returns setof public.disputes language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'Only admins can look through chargebacks');
  perform private.require(state in ('all', 'to_answer', 'under_review', 'won', 'lost'),
    'State must be to_answer, under_review, won, lost or all', 'state');
  return query execute concat_ws(' ', 'select d.* from public.disputes d join public.payments p on p.id = d.payment_id where',
    case when private.trimmed(query) ~ '^(dp|du)_[\w-]+$' then format('d.id = %L', private.trimmed(query))
      else private.payment_search(query) end,
    case state when 'to_answer' then 'and d.status in (''needs_response'', ''warning_needs_response'')'
      when 'under_review' then 'and d.status in (''under_review'', ''warning_under_review'')'
      when 'all' then '' else format('and d.status = %L', state) end,
    case when before_at is not null then format('and (d.created_at, d.id) < (%L, %L)', before_at, before_id) end,
    'order by d.created_at desc, d.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

revoke execute on function public.find_people_to_verify(text, boolean, timestamptz, uuid, integer),
  public.find_complaints(text, boolean, timestamptz, uuid, integer), public.find_disputes(text, text, timestamptz, text, integer)
  from public, anon;
grant execute on function public.find_people_to_verify(text, boolean, timestamptz, uuid, integer),
  public.find_complaints(text, boolean, timestamptz, uuid, integer), public.find_disputes(text, text, timestamptz, text, integer)
  to authenticated;
