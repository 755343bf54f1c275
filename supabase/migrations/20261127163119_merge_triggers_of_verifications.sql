-- Merges the triggers of verifications into one function for each moment, which calls the named steps.

drop trigger "20_submission" on public.verifications;

drop trigger "21_resubmission" on public.verifications;

drop trigger "22_admin" on public.verifications;

drop trigger "30_resubmitted" on public.verifications;

drop trigger "30_submitted" on public.verifications;

drop trigger "31_decision" on public.verifications;

drop trigger "32_approval" on public.verifications;

drop trigger "33_stamp" on public.verifications;

drop trigger "40_terms" on public.verifications;

drop trigger "41_privacy" on public.verifications;

drop trigger "42_tidy" on public.verifications;

drop trigger "43_legal_name_min" on public.verifications;

drop trigger "44_legal_name_max" on public.verifications;

drop trigger "45_birth" on public.verifications;

drop trigger "46_age" on public.verifications;

drop trigger "47_background_check" on public.verifications;

drop trigger "48_insurance" on public.verifications;

drop trigger "49_sin" on public.verifications;

drop trigger "50_id_type" on public.verifications;

drop trigger "51_insurance_details" on public.verifications;

drop trigger "52_skills" on public.verifications;

drop trigger "90_age" on public.verifications;

drop trigger "90_count_verification" on public.verifications;

drop trigger apply_verification on public.verifications;

drop trigger share_skills_of_new on public.verifications;

drop trigger share_skills_of_resubmitted on public.verifications;

drop trigger within_limit_again on public.verifications;

create trigger after_verification_change after insert or update or delete on public.verifications
for each row execute function private.after_verification_change();

create trigger before_verification_change before insert or update on public.verifications
for each row execute function private.before_verification_change();

drop trigger within_limit on public.verifications;
create trigger within_limit after insert or update on public.verifications
for each row execute function private.limit_submissions();

drop function private.apply_verification();

drop function private.check_resubmission();

drop function private.check_submission();

drop function private.check_verification_admin();

drop function private.check_verification_decision();

drop function private.count_verification();

drop function private.note_age();

drop function private.share_skills();

drop function private.stamp_submission();

drop function private.stamp_verification();

drop function private.tidy_verification();

grant execute on function private.check_resubmission(public.verifications,public.verifications) to authenticated;
grant execute on function private.check_resubmission(public.verifications,public.verifications) to service_role;
grant execute on function private.check_submission(public.verifications) to authenticated;
grant execute on function private.check_submission(public.verifications) to service_role;
grant execute on function private.check_verification_admin(public.verifications,public.verifications) to authenticated;
grant execute on function private.check_verification_admin(public.verifications,public.verifications) to service_role;
grant execute on function private.check_verification_decision(public.verifications) to authenticated;
grant execute on function private.check_verification_decision(public.verifications) to service_role;
grant execute on function private.confirm_age(public.verifications) to authenticated;
grant execute on function private.confirm_age(public.verifications) to service_role;
grant execute on function private.is_of_age(date) to authenticated;
grant execute on function private.is_of_age(date) to service_role;
grant execute on function private.stamp_submission(public.verifications) to authenticated;
grant execute on function private.stamp_submission(public.verifications) to service_role;
grant execute on function private.stamp_verification(public.verifications,public.verifications) to authenticated;
grant execute on function private.stamp_verification(public.verifications,public.verifications) to service_role;
grant execute on function private.tidy_verification(public.verifications) to authenticated;
grant execute on function private.tidy_verification(public.verifications) to service_role;

comment on column public.verifications.age_verified is 'Always true, because younger people are refused';
