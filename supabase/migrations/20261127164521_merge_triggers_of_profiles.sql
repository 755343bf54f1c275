-- Merges the triggers of profiles into one function for each moment, which calls the named steps.

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

drop function private.carry_language_to_account();

drop function private.change_profile_photo();

drop function private.check_badge_decision();

drop function private.check_preferred_categories();

drop function private.check_profile_name();

drop function private.check_profile_owner();

drop function private.check_profile_photo();

drop function private.check_profile_skills();

drop function private.count_sign_up();

drop function private.erase_emails();

drop function private.erase_push();

drop function private.follow_admin_verification();

drop function private.follow_name();

drop function private.follow_photo();

drop function private.forget_customer();

drop function private.forget_names();

drop function private.forget_review_requests();

drop function private.recount_after_verification();

drop function private.refuse_suspended_profile();

drop function private.round_hourly_rate();

drop function private.sync_verified_name();

drop function private.take_badge_back();

drop function private.take_language_of_account();

drop function private.tidy_profile();

grant execute on function private.check_badge_decision(private.profiles,private.profiles) to authenticated;
grant execute on function private.check_badge_decision(private.profiles,private.profiles) to service_role;
grant execute on function private.check_preferred_categories(private.profiles) to authenticated;
grant execute on function private.check_preferred_categories(private.profiles) to service_role;
grant execute on function private.check_profile_name(private.profiles) to authenticated;
grant execute on function private.check_profile_name(private.profiles) to service_role;
grant execute on function private.check_profile_owner(private.profiles,private.profiles) to authenticated;
grant execute on function private.check_profile_owner(private.profiles,private.profiles) to service_role;
grant execute on function private.check_profile_photo(private.profiles) to authenticated;
grant execute on function private.check_profile_photo(private.profiles) to service_role;
grant execute on function private.check_profile_skills(private.profiles) to authenticated;
grant execute on function private.check_profile_skills(private.profiles) to service_role;
grant execute on function private.has_new_details(private.profiles,private.profiles) to authenticated;
grant execute on function private.has_new_details(private.profiles,private.profiles) to service_role;
grant execute on function private.is_avatar_address(text) to authenticated;
grant execute on function private.is_avatar_address(text) to service_role;
grant execute on function private.refuse_suspended_profile(private.profiles,private.profiles) to authenticated;
grant execute on function private.refuse_suspended_profile(private.profiles,private.profiles) to service_role;
grant execute on function private.remove_badge(private.profiles) to authenticated;
grant execute on function private.remove_badge(private.profiles) to service_role;
grant execute on function private.round_hourly_rate(private.profiles) to authenticated;
grant execute on function private.round_hourly_rate(private.profiles) to service_role;
grant execute on function private.sync_verified_name(private.profiles) to authenticated;
grant execute on function private.sync_verified_name(private.profiles) to service_role;
grant execute on function private.tidy_profile(private.profiles) to authenticated;
grant execute on function private.tidy_profile(private.profiles) to service_role;

comment on column private.profiles.hourly_rate is 'Dollars an hour, rounded to cents; null if not given';
