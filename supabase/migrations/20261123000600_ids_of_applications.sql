-- Whoever applies may choose the id of the application, as with tasks and messages: one whose answer was lost is sent again
-- and is still one, also when it was answered or withdrawn meanwhile.
grant insert (id) on public.bookings to authenticated;
