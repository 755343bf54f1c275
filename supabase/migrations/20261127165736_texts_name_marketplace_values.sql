-- English texts name values of the marketplace, such as {{clock}}, which private.filled_text() writes.
set check_function_bodies = off;

create or replace function private.earlier_syntax(template text) returns text
language sql immutable set search_path = '' as $$
  select regexp_replace(regexp_replace(replace(template, '{{clock}}', private.marketplace() #>> '{texts,clock}'),
    '\{\{(\w+), (?:money|price)\}\}', '${\1}', 'g'), '\{\{(\w+)\}\}', '{\1}', 'g')
$$;

create or replace function private.filled_text(template text, params jsonb) returns text
language sql immutable set search_path = '' as $$
  select string_agg(part[1] || case when part[3] is null then '' else '$' end
    || coalesce(params ->> part[2], private.marketplace() #>> array['texts', part[2]], ''), '' order by nth)
  from regexp_matches(template, '(.*?)(?:\{\{(\w+)(, (?:money|price))?\}\}|$)', 'g') with ordinality as parts (part, nth)
$$;

update private.notification_texts set message = replace(message, 'Saskatchewan time', '{{clock}}')
where key in ('pay_reminder', 'task_marked_complete_early', 'work_reminder');
