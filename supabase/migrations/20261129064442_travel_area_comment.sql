-- The comment of travel areas names what a giver who asks first learns.
set check_function_bodies = off;

comment on table public.travel_areas is 'Where taskers start from and how far they travel. Others read none of it; a giver who asks a tasker first learns whether a town is within it';
