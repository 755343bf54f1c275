-- The rules of photos are also asked when trusted code changes a profile or a file, which was refused for want of the right
-- to call them.
grant execute on function private.is_own_profile_photo(uuid, text), private.is_new_picture(text, text), private.may_upload(text)
to service_role;
