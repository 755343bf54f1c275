-- How common a word is among taskers and people: without it a word that everybody has counts as rare, and a search reads and sorts
-- all who have it (50,000 taskers: three seconds) instead of taking the first in order. PostgreSQL does not look into the statistics
-- of these expressions' own indexes, which are GIN.

create statistics private.profiles_tasker_text on (private.tasker_text(full_name, skills, bio)) from private.profiles;
create statistics private.profiles_person_text on (private.person_text(full_name, email, phone)) from private.profiles;
analyze private.profiles;

-- What five minutes bring is read with every figure; what one brings is a fifth of it.
select cron.schedule('figures', '* * * * *', 'select private.sum_figures()');
