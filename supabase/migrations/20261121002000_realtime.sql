-- What the app listens to: the bell, the chat, and the screens that show a booking and its money.
-- Row-level security decides what each listener hears.

alter publication supabase_realtime add table public.notifications, public.messages, public.bookings,
  public.payments, public.tasks, public.complaints;
