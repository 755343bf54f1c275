-- English notifications name the marketplace's clock as {{clock}}.
set check_function_bodies = off;

create or replace function private.earlier_syntax(template text) returns text
language sql immutable set search_path = '' as $$
  select regexp_replace(regexp_replace(replace(template, '{{clock}}', private.marketplace() #>> '{texts,clock}'),
    '\{\{(\w+), (?:money|price)\}\}', '${\1}', 'g'), '\{\{(\w+)\}\}', '{\1}', 'g')
$$;

update private.notification_texts set message = replace(message, 'Saskatchewan time', '{{clock}}')
where key in ('pay_reminder', 'task_marked_complete_early', 'work_reminder');
