-- Submitting a verification adds its skills to the profile, where searches find them.
-- Approval adds nothing, so a skill removed from the profile in the meantime stays removed.

create function private.share_skills() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update private.profiles p set skills = p.skills || array(
    select entered.skill from unnest(new.skills) with ordinality entered (skill, place)
    where lower(entered.skill) not in (select lower(held) from unnest(p.skills) held) order by entered.place)
  where p.id = new.user_id
    and exists (select from unnest(new.skills) entered where lower(entered) not in (select lower(held) from unnest(p.skills) held));
  return null;
end $$;

-- Only a submission adds skills: a new record, or one that was rejected and is submitted again.
create trigger share_skills_of_new after insert on public.verifications
for each row when (new.verification_status = 'pending' and cardinality(new.skills) > 0)
execute function private.share_skills();
create trigger share_skills_of_resubmitted after update on public.verifications
for each row when (new.verification_status = 'pending' and old.verification_status = 'rejected' and cardinality(new.skills) > 0)
execute function private.share_skills();

-- Recovers skills that were lost so far, for profiles without any and within the profile's limits.
update private.profiles p set skills = v.skills
from public.verifications v
where v.user_id = p.id and cardinality(p.skills) = 0 and p.deleted_at is null and cardinality(v.skills) > 0
  and v.verification_status in ('pending', 'verified') and not private.is_suspended(p.id)
  and private.longest(v.skills) <= private.rule('limits.skills.length');
