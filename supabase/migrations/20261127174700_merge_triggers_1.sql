-- Replaces the triggers of each table by one function for each moment, composed of the steps, and gives policies plain names (1 of 3).
set check_function_bodies = off;

drop trigger create_profile on auth.users;
drop trigger end_favourites on auth.users;
drop trigger end_requests on auth.users;
drop trigger erase_exports on auth.users;
drop trigger erase_person on auth.users;
drop trigger erase_photos on auth.users;
drop trigger erase_shown_pictures on auth.users;
drop trigger sync_profile_email on auth.users;
create trigger after_account_change after insert or update of email or delete on auth.users
for each row execute function private.after_account_change();
create trigger before_account_delete before delete on auth.users
for each row execute function private.before_account_delete();

drop trigger close_customer on private.payment_customers;
create trigger queue_customer_deletion after delete on private.payment_customers
for each row execute function private.queue_customer_deletion();

drop trigger "10_language" on private.profiles;
drop trigger "20_badge_decision" on private.profiles;
drop trigger "21_account" on private.profiles;
drop trigger "21_owner" on private.profiles;
drop trigger "40_name" on private.profiles;
drop trigger "41_badge_of_name" on private.profiles;
drop trigger "42_verified_name" on private.profiles;
drop trigger "43_tidy" on private.profiles;
drop trigger "44_phone" on private.profiles;
drop trigger "45_city" on private.profiles;
drop trigger "46_bio" on private.profiles;
drop trigger "47_avatar" on private.profiles;
drop trigger "47_photo_file" on private.profiles;
drop trigger "48_experience" on private.profiles;
drop trigger "49_rate_min" on private.profiles;
drop trigger "50_rate_max" on private.profiles;
drop trigger "51_availability" on private.profiles;
drop trigger "52_language" on private.profiles;
drop trigger "53_skills" on private.profiles;
drop trigger "54_preferred_categories" on private.profiles;
drop trigger "80_language_to_account" on private.profiles;
drop trigger "90_count_sign_up" on private.profiles;
drop trigger "90_rate_cents" on private.profiles;
drop trigger change_photo on private.profiles;
drop trigger erase_emails on private.profiles;
drop trigger erase_push on private.profiles;
drop trigger follow_admin_verification on private.profiles;
drop trigger follow_name on private.profiles;
drop trigger follow_photo on private.profiles;
drop trigger forget_customer on private.profiles;
drop trigger forget_names on private.profiles;
drop trigger forget_review_requests on private.profiles;
drop trigger move_hidden_files on private.profiles;
drop trigger recount_after_verification on private.profiles;
drop trigger write_audit_of_hiding on private.profiles;
create trigger after_profile_change after insert or update or delete on private.profiles
for each row execute function private.after_profile_change();
create trigger before_profile_update before update on private.profiles
for each row execute function private.before_profile_update();
drop trigger write_audit on private.profiles;
create trigger write_audit after update on private.profiles for each row
when ((new.verified_by_admin, new.verification_notes, new.verified_at, new.verified_by, new.hidden_for)
  is distinct from (old.verified_by_admin, old.verification_notes, old.verified_at, old.verified_by, old.hidden_for))
execute function private.write_audit('verified_by_admin', 'verification_notes', 'verified_at', 'verified_by', 'hidden_for');

drop trigger "20_append_only" on public.audit_log;
drop trigger "20_append_only_as_a_whole" on public.audit_log;
create trigger before_audit_entry_change before update or delete on public.audit_log
for each row execute function private.before_audit_entry_change();
create trigger before_audit_log_truncate before truncate on public.audit_log
for each statement execute function private.refuse_audit_truncate();

drop trigger "11_message" on public.bookings;
drop trigger "12_tidy" on public.bookings;
drop trigger "19_account" on public.bookings;
drop trigger "20_own" on public.bookings;
drop trigger "21_doers" on public.bookings;
drop trigger "28_limit" on public.bookings;
drop trigger "29_shown" on public.bookings;
drop trigger "30_application" on public.bookings;
drop trigger "31_price_agreed" on public.bookings;
drop trigger "32_notes_on_completion" on public.bookings;
drop trigger "33_reason_on_cancellation" on public.bookings;
drop trigger "39_account" on public.bookings;
drop trigger "40_first_step" on public.bookings;
drop trigger "40_step" on public.bookings;
drop trigger "50_accepted" on public.bookings;
drop trigger "51_in_progress" on public.bookings;
drop trigger "52_completed" on public.bookings;
drop trigger "52_photos" on public.bookings;
drop trigger "53_cancelled" on public.bookings;
drop trigger "54_undone_decline" on public.bookings;
drop trigger "90_count_booking" on public.bookings;
drop trigger "90_first_stamp" on public.bookings;
drop trigger "90_stamp" on public.bookings;
drop trigger drop_photos on public.bookings;
drop trigger follow_application on public.bookings;
drop trigger follow_booking on public.bookings;
drop trigger follow_undone_decline on public.bookings;
drop trigger open_after_application on public.bookings;
drop trigger recount_after_booking on public.bookings;
drop trigger schedule_for_application on public.bookings;
drop trigger schedule_for_booking on public.bookings;
drop trigger schedule_recount on public.bookings;
drop trigger schedule_reminder on public.bookings;
drop trigger within_limit on public.bookings;
create trigger after_booking_change after insert or update or delete on public.bookings
for each row execute function private.after_booking_change();
create trigger before_booking_insert before insert on public.bookings
for each row execute function private.before_booking_insert();
create trigger before_booking_update before update on public.bookings
for each row execute function private.before_booking_update();

drop trigger "10_tidy" on public.complaints;
drop trigger "11_reason_min" on public.complaints;
drop trigger "12_reason_max" on public.complaints;
drop trigger "30_booking" on public.complaints;
drop trigger "31_answer" on public.complaints;
drop trigger "40_photos" on public.complaints;
drop trigger follow_answer on public.complaints;
drop trigger follow_complaint on public.complaints;
drop trigger hold_reviews on public.complaints;
create trigger after_complaint_change after insert or update on public.complaints
for each row execute function private.after_complaint_change();
create trigger before_complaint_insert before insert on public.complaints
for each row execute function private.before_complaint_insert();
create trigger before_complaint_update before update on public.complaints
for each row execute function private.before_complaint_update();

drop trigger "27_limit" on public.data_exports;
create trigger before_data_export_insert before insert on public.data_exports
for each row execute function private.before_data_export_insert();

drop trigger "20_own" on public.favourites;
drop trigger "29_limit" on public.favourites;
drop trigger "30_tasker" on public.favourites;
drop trigger "31_count" on public.favourites;
create trigger before_favourite_insert before insert on public.favourites
for each row execute function private.before_favourite_insert();

drop trigger "20_append_only" on public.ledger_entries;
drop trigger "20_append_only_as_a_whole" on public.ledger_entries;
drop trigger "90_count_entry" on public.ledger_entries;
create trigger after_ledger_entry_insert after insert on public.ledger_entries
for each row execute function private.after_ledger_entry_insert();
create trigger before_ledger_entry_change before update or delete on public.ledger_entries
for each row execute function private.before_ledger_entry_change();
create trigger before_ledger_truncate before truncate on public.ledger_entries
for each statement execute function private.before_ledger_entry_change();

drop trigger "10_tidy" on public.messages;
drop trigger "11_message" on public.messages;
drop trigger "20_account" on public.messages;
drop trigger "20_parties" on public.messages;
drop trigger "21_limit" on public.messages;
drop trigger "30_photo" on public.messages;
drop trigger "90_read" on public.messages;
drop trigger announce_hidden_message on public.messages;
drop trigger announce_message on public.messages;
drop trigger forget_hidden_message on public.messages;
drop trigger move_hidden_files on public.messages;
drop trigger queue_message_email on public.messages;
drop trigger recount_after_message on public.messages;
drop trigger settle_message_email on public.messages;
drop trigger settle_message_notice on public.messages;
create trigger after_message_insert after insert on public.messages
for each row execute function private.after_message_insert();
create trigger after_message_update after update on public.messages
for each row execute function private.after_message_update();
create trigger before_message_insert before insert on public.messages
for each row execute function private.before_message_insert();
create trigger before_message_update before update on public.messages
for each row execute function private.before_message_update();

drop trigger "40_required" on public.notification_preferences;
create trigger before_notification_preference_change before insert or update on public.notification_preferences
for each row execute function private.before_notification_preference_change();
drop trigger within_limit on public.notification_preferences;
create trigger within_limit after insert or update on public.notification_preferences
for each row execute function private.limit_settings_changes();

drop trigger "90_settle" on public.notifications;
create trigger before_notification_update before update on public.notifications
for each row execute function private.before_notification_update();

drop trigger "27_limit" on public.payment_methods;
drop trigger "40_token" on public.payment_methods;
drop trigger "41_last4" on public.payment_methods;
drop trigger "42_brand" on public.payment_methods;
drop trigger "43_expiry" on public.payment_methods;
drop trigger follow_card_removal on public.payment_methods;
create trigger after_payment_method_delete after delete on public.payment_methods
for each row execute function private.after_payment_method_delete();
create trigger before_payment_method_change before insert or update on public.payment_methods
for each row execute function private.before_payment_method_change();

drop trigger "20_account" on public.payments;
drop trigger "30_release" on public.payments;
drop trigger "90_stamp" on public.payments;
drop trigger document_payment on public.payments;
drop trigger follow_failed_transfer on public.payments;
drop trigger follow_release on public.payments;
drop trigger recount_after_payment on public.payments;
drop trigger request_reviews on public.payments;
drop trigger settle_confirmation_notice on public.payments;
create trigger after_payment_update after update on public.payments
for each row execute function private.after_payment_update();
create trigger before_payment_insert before insert on public.payments
for each row execute function private.before_payment_insert();
create trigger before_payment_update before update on public.payments
for each row execute function private.before_payment_update();

drop trigger "10_last4" on public.payout_accounts;
drop trigger "11_complete" on public.payout_accounts;
drop trigger "30_pending" on public.payout_accounts;
drop trigger "31_confirmed" on public.payout_accounts;
drop trigger "32_by_provider" on public.payout_accounts;
drop trigger "90_manual" on public.payout_accounts;
drop trigger "90_pending_again" on public.payout_accounts;
drop trigger forget_bank on public.payout_accounts;
drop trigger resume_payouts on public.payout_accounts;
create trigger after_payout_account_change after insert or update of account_status or delete on public.payout_accounts
for each row execute function private.after_payout_account_change();
create trigger before_payout_account_change before insert or update on public.payout_accounts
for each row execute function private.before_payout_account_change();
drop trigger within_limit on public.payout_accounts;
create trigger within_limit after insert or update on public.payout_accounts
for each row execute function private.limit_payout_account_changes();

drop trigger within_limit on public.push_subscriptions;
create trigger after_push_subscription_insert after insert on public.push_subscriptions
for each row execute function private.after_push_subscription_insert();

drop trigger "20_kept" on public.receipts;
drop trigger "20_kept_as_a_whole" on public.receipts;
create trigger before_receipt_delete before delete on public.receipts
for each row execute function private.before_receipt_delete();
create trigger before_receipts_truncate before truncate on public.receipts
for each statement execute function private.before_receipt_delete();
drop trigger number_receipt on public.receipts;
create constraint trigger number_receipt after insert on public.receipts
deferrable initially deferred for each row execute function private.assign_receipt_number();

drop trigger "27_limit" on public.reports;
create trigger before_report_insert before insert on public.reports
for each row execute function private.before_report_insert();

drop trigger "10_tidy" on public.reviews;
drop trigger "11_rating" on public.reviews;
drop trigger "12_comment" on public.reviews;
drop trigger "20_account" on public.reviews;
drop trigger "20_own" on public.reviews;
drop trigger "30_booking" on public.reviews;
drop trigger follow_review on public.reviews;
create trigger after_review_change after insert on public.reviews
for each row execute function private.after_review_change();
create trigger before_review_change before insert on public.reviews
for each row execute function private.before_review_change();

drop trigger "10_tidy" on public.task_addresses;
drop trigger "40_address" on public.task_addresses;
drop trigger within_limit on public.task_addresses;
create trigger after_task_address_change after insert or update on public.task_addresses
for each row execute function private.after_task_address_change();
create trigger before_task_address_change before insert or update on public.task_addresses
for each row execute function private.before_task_address_change();

drop trigger "10_tidy" on public.tasks;
drop trigger "19_hold" on public.tasks;
drop trigger "20_account" on public.tasks;
drop trigger "20_account_edit" on public.tasks;
drop trigger "20_poster" on public.tasks;
drop trigger "27_limit" on public.tasks;
drop trigger "31_agreed" on public.tasks;
drop trigger "32_step" on public.tasks;
drop trigger "33_asked" on public.tasks;
drop trigger "33_hold" on public.tasks;
drop trigger "40_title" on public.tasks;
drop trigger "42_description" on public.tasks;
drop trigger "44_category" on public.tasks;
drop trigger "45_location" on public.tasks;
drop trigger "50_pay" on public.tasks;
drop trigger "60_tools" on public.tasks;
drop trigger "70_schedule" on public.tasks;
drop trigger "72_duration" on public.tasks;
drop trigger "80_photos" on public.tasks;
drop trigger "90_count_kinds" on public.tasks;
drop trigger "90_count_task" on public.tasks;
drop trigger "90_pay_cents" on public.tasks;
drop trigger "91_asked" on public.tasks;
drop trigger drop_photos on public.tasks;
drop trigger follow_asked_task on public.tasks;
drop trigger follow_changed_task on public.tasks;
drop trigger follow_task on public.tasks;
drop trigger follow_withdrawn_request on public.tasks;
drop trigger forget_hidden_task on public.tasks;
drop trigger move_hidden_files on public.tasks;
drop trigger record_photos on public.tasks;
drop trigger schedule_for_task on public.tasks;
create trigger after_task_change after insert or update or delete on public.tasks
for each row execute function private.after_task_change();
create trigger before_task_change before insert or update on public.tasks
for each row execute function private.before_task_change();

drop trigger sync_profile_role on public.user_roles;
create trigger after_user_role_change after insert or update of user_id, role or delete on public.user_roles
for each row execute function private.after_user_role_change();
