-- Its name is no version: nobody applies it.
select this_is_not_applied;
