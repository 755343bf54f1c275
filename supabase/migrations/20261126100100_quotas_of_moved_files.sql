-- A hidden file that is shown again comes back into its bucket, however full its person has made the bucket meanwhile. A
-- refused move would be tried, and fail, again and again.
do $$
begin
  execute replace(pg_get_functiondef('private.check_storage_quota()'::regprocedure),
    'if new.owner_id is null or coalesce(storage.operation(), '''') = ''''',
    'if new.owner_id is null or coalesce(storage.operation(), '''') = ''''
    or tg_op = ''UPDATE'' and old.bucket_id = ''hidden-'' || new.bucket_id');
end $$;
