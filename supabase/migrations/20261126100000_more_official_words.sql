-- More words by which a name or a title claims to speak for the company: "Meadowlark HQ", "Meadowlark Helpline".
do $$
begin
  execute replace(pg_get_functiondef('private.official_words()'::regprocedure), '''support'', ''help'',',
    '''support'', ''help'', ''helpline'', ''hotline'', ''hq'', ''headquarters'', ''fraud'', ''dispute'', ''disputes'', ''compliance'',
    ''agent'', ''manager'', ''representative'', ''employee'', ''offical'',');
end $$;
