-- Two to begin with.
insert into public.fruit (id, name) values (-1, 'crab apple'), (-2, 'saskatoon');
