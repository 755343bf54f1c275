-- Tables and columns for points of tasks: the exact ones, the cells that everybody sees, and how far taskers travel.
set check_function_bodies = off;

create extension if not exists cube with schema extensions;

create table private.cells (
  latitude double precision not null,
  longitude double precision not null,
  position extensions.cube not null,
  primary key (latitude, longitude)
);
alter table private.cells enable row level security;

create table private.place_names (
  place_id text not null references public.places (id) on delete cascade,
  words text not null,
  city_words text,
  primary key (place_id, words)
);
alter table private.place_names enable row level security;

create table public.task_points (
  task_id uuid primary key references public.tasks (id) on delete cascade,
  latitude double precision not null,
  longitude double precision not null
);
alter table public.task_points enable row level security;

create table public.travel_areas (
  user_id uuid primary key default auth.uid() references private.profiles (id) on delete cascade,
  place_id text,
  latitude double precision not null,
  longitude double precision not null,
  radius_km integer not null default 50,
  updated_at timestamptz not null default now()
);
alter table public.travel_areas enable row level security;

alter table public.tasks add column place_id text;

alter table public.tasks add column public_latitude double precision;

alter table public.tasks add column public_longitude double precision;

create or replace view private.open_tasks as
select id, category, private.search_text(location) as location, pay_amount, scheduled_date, created_at,
  private.search_text(title || E'\n' || description || E'\n' || category || E'\n' || location) as words,
  public_latitude, public_longitude
from public.tasks where status = 'open' and hidden_for is null;

create index cells_position on private.cells using gist (position extensions.gist_cube_ops);

comment on column private.cells."position" is 'The same point in kilometres from the centre of the earth, for the index';
comment on column private.cells.latitude is 'Degrees north, WGS 84';
comment on column private.cells.longitude is 'Degrees east, WGS 84; negative in the west';
comment on column private.place_names.city_words is 'The city of a neighbourhood; null for other places';
comment on column private.place_names.words is 'The name or another spelling, as private.place_words writes it';
comment on column public.task_points.latitude is 'Degrees north, WGS 84';
comment on column public.task_points.longitude is 'Degrees east, WGS 84; negative in the west';
comment on column public.tasks.place_id is 'The place of public.places that the location names, set by the database; null for none';
comment on column public.tasks.public_latitude is 'Degrees north of the centre of the cell where the task is (private.cells), which everybody reads; null for none';
comment on column public.tasks.public_longitude is 'Degrees east of the same centre';
comment on column public.travel_areas.latitude is 'Degrees north of the cell''s centre; the exact point is not stored';
comment on column public.travel_areas.longitude is 'Degrees east of the cell''s centre; the exact point is not stored';
comment on column public.travel_areas.place_id is 'The chosen place; null for a point from the device';
comment on column public.travel_areas.radius_km is 'Kilometres as the crow flies';
comment on column public.travel_areas.user_id is 'The tasker';
comment on table private.cells is 'Centres of cells, written by private.load_cells: 1 km apart in cities, elsewhere the places. A point is in the cell whose centre is nearest';
comment on table private.place_names is 'Names of places as private.match_place compares them, written by private.load_place_names';
comment on table public.task_points is 'Exact points of tasks from a device or a pin, for the giver, the accepted tasker and admins';
comment on table public.travel_areas is 'Where taskers start from and how far they travel; nobody else reads it';
