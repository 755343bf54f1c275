-- Merges the rules of the audit log into one function, with named steps.
set check_function_bodies = off;

create function private.before_audit_entry_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(private.is_erasing(), 'audit_log.append_only');
  return coalesce(new, old);
end $$;

create function private.is_erasing() returns boolean
language sql stable return coalesce(current_setting('private.erasing', true), '') = 'yes';

create function private.refuse_audit_truncate() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(false, 'audit_log.append_only');
  return null;
end $$;

drop trigger "20_append_only" on public.audit_log;

drop trigger "20_append_only_as_a_whole" on public.audit_log;

create trigger before_audit_entry_change before update or delete on public.audit_log
for each row execute function private.before_audit_entry_change();

create trigger before_audit_log_truncate before truncate on public.audit_log
for each statement execute function private.refuse_audit_truncate();

grant execute on function private.is_erasing() to anon;
grant execute on function private.is_erasing() to authenticated;
grant execute on function private.is_erasing() to service_role;
