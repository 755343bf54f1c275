insert into public.baskets (fruit) select id from public.fruit where id < 0;
