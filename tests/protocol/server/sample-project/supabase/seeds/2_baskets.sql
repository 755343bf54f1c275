-- One basket for each; runs after the fruit.
insert into public.baskets (fruit) select id from public.fruit where id < 0;
