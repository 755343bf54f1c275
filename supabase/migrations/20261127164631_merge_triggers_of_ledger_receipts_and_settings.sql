-- Merges the triggers of the ledger, receipts, favourites, notifications and their settings, reports and exports into named steps.
set check_function_bodies = off;

create function private.after_ledger_entry_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_entry(new);
  return null;
end $$;

create function private.after_push_subscription_insert() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('browsers_subscribed');
  return null;
end $$;

create function private.before_data_export_insert() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('exports_requested');
  return new;
end $$;

create function private.before_favourite_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(not private.is_client() or new.user_id = auth.uid(), 'favourite.not_own');
  perform private.limit_client('taskers_saved');
  perform private.require(new.tasker_id <> new.user_id and private.is_tasker(new.tasker_id),
    'favourite.not_tasker', 'tasker_id');
  perform private.require((select count(*) from public.favourites where user_id = new.user_id) < 500,
    'favourite.too_many', 'tasker_id');
  return new;
end $$;

create function private.before_ledger_entry_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(false, 'ledger.append_only');
  return null;
end $$;

create function private.before_notification_preference_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(new.email or not private.is_required(new.kind), 'notification.required_kind', 'email');
  perform private.require(new.bell or not private.is_required(new.kind), 'notification.required_kind', 'bell');
  new := private.stamp_preference(new);
  return new;
end $$;

create function private.before_notification_update() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.read and new.subject_key is not null then
    new := private.clear_subject_key(new);
  end if;
  return new;
end $$;

create function private.before_receipt_delete() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(false, 'receipt.permanent');
  return null;
end $$;

create function private.before_report_insert() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('reports_made');
  return new;
end $$;

create function private.clear_subject_key(notification public.notifications) returns public.notifications
language plpgsql immutable set search_path = '' as $$
begin
  notification.subject_key := null;
  return notification;
end $$;

create function private.count_entry(entry public.ledger_entries) returns void
language plpgsql set search_path = '' as $$
begin
  insert into private.figure_changes (happened_at, kind, amount)
  select entry.created_at, f.kind, f.amount from private.figures_of_entry(entry) f;
end $$;

create function private.limit_settings_changes() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.limit_client('settings_changes');
  return null;
end $$;

create function private.stamp_preference(preference public.notification_preferences) returns public.notification_preferences
language plpgsql stable set search_path = '' as $$
begin
  preference.updated_at := now();
  return preference;
end $$;

drop trigger "27_limit" on public.data_exports;

drop trigger "20_own" on public.favourites;

drop trigger "29_limit" on public.favourites;

drop trigger "30_tasker" on public.favourites;

drop trigger "31_count" on public.favourites;

drop trigger "20_append_only" on public.ledger_entries;

drop trigger "20_append_only_as_a_whole" on public.ledger_entries;

drop trigger "90_count_entry" on public.ledger_entries;

drop trigger "40_required" on public.notification_preferences;

drop trigger "90_settle" on public.notifications;

drop trigger within_limit on public.push_subscriptions;

drop trigger "20_kept" on public.receipts;

drop trigger "20_kept_as_a_whole" on public.receipts;

drop trigger "27_limit" on public.reports;

create trigger before_data_export_insert before insert on public.data_exports
for each row execute function private.before_data_export_insert();

create trigger before_favourite_insert before insert on public.favourites
for each row execute function private.before_favourite_insert();

create trigger after_ledger_entry_insert after insert on public.ledger_entries
for each row execute function private.after_ledger_entry_insert();

create trigger before_ledger_entry_change before update or delete on public.ledger_entries
for each row execute function private.before_ledger_entry_change();

create trigger before_ledger_truncate before truncate on public.ledger_entries
for each statement execute function private.before_ledger_entry_change();

create trigger before_notification_preference_change before insert or update on public.notification_preferences
for each row execute function private.before_notification_preference_change();

drop trigger within_limit on public.notification_preferences;
create trigger within_limit after insert or update on public.notification_preferences
for each row execute function private.limit_settings_changes();

create trigger before_notification_update before update on public.notifications
for each row execute function private.before_notification_update();

create trigger after_push_subscription_insert after insert on public.push_subscriptions
for each row execute function private.after_push_subscription_insert();

drop trigger within_limit on public.quiet_hours;
create trigger within_limit after insert or update on public.quiet_hours
for each row execute function private.limit_settings_changes();

create trigger before_receipt_delete before delete on public.receipts
for each row execute function private.before_receipt_delete();

create trigger before_receipts_truncate before truncate on public.receipts
for each statement execute function private.before_receipt_delete();

create trigger before_report_insert before insert on public.reports
for each row execute function private.before_report_insert();

drop function private.check_favourites_count();

drop function private.check_preference();

drop function private.count_entry();

drop function private.limit_caller();

drop function private.settle_notification();

grant execute on function private.clear_subject_key(public.notifications) to authenticated;
grant execute on function private.clear_subject_key(public.notifications) to service_role;
grant execute on function private.stamp_preference(public.notification_preferences) to authenticated;
grant execute on function private.stamp_preference(public.notification_preferences) to service_role;
