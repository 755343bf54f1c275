-- Notifications of offers and counter-offers.

set check_function_bodies = off;

insert into private.notification_texts (key, kind, title, message, subject, button, amounts, by_email, part, topic) values
  ('offer_received', 'applications', 'New offer', '{{person}} offers to do "{{task}}" for {{amount, money}}. You would pay {{total, money}} in all. {{verification}}', '{{person}} offers to do "{{task}}" for {{amount, money}}', 'See the offer', null, true, null, 'application'),
  ('offers_received', 'applications', 'New offer', '{{person}} offers to do "{{task}}" from {{amount, money}}, with a choice of prices. At the lowest you would pay {{total, money}} in all. {{verification}}', '{{person}} offers to do "{{task}}" from {{amount, money}}', 'See the offer', null, true, null, 'application'),
  ('offer_lapsed', 'applications', 'Offer lapsed', 'Your offer for "{{task}}" was not answered in time. You can apply again.', 'Your offer for "{{task}}" was not answered', 'Open the task', null, true, null, null),
  ('counter_received', 'applications', 'Counter-offer', '{{person}} offers {{amount, money}} for "{{task}}". You would receive {{payout, money}} after fees. Answer by {{when}}, {{clock}}.', '{{person}} offers {{amount, money}} for "{{task}}"', 'Answer', null, true, 'next', null),
  ('counter_accepted', 'applications', 'Counter-offer accepted', '{{person}} agreed to {{amount, money}} for "{{task}}". Pay {{total, money}} in all so that the work can start.', '{{person}} agreed to {{amount, money}} for "{{task}}"', 'Pay', null, true, 'next', null),
  ('counter_declined', 'applications', 'Counter-offer declined', '{{person}} declined {{amount, money}} for "{{task}}". Their offer is open to you until {{when}}, {{clock}}.', '{{person}} declined {{amount, money}} for "{{task}}"', 'See the offer', null, true, null, null),
  ('counter_lapsed', 'applications', 'Counter-offer lapsed', '{{person}} did not answer your {{amount, money}} for "{{task}}". Their offer is open to you until {{when}}, {{clock}}.', '{{person}} did not answer your price for "{{task}}"', 'See the offer', null, true, null, null);

create or replace function private.change_texts() returns jsonb
language sql immutable set search_path = '' as $$
  select $json${
  "changes": {
    "price": "the price is now {{amount, money}}",
    "stays": "your application stays at {{amount, money}}",
    "time": "the time is now {{when}}, {{clock}}",
    "anytime": "any time suits now",
    "place": "the place is now {{place}}",
    "duration": "how long it takes",
    "work": "what is to be done",
    "tools": "the tools",
    "offers": "whether it takes offers"
  },
  "betweenChanges": "; "
}$json$::jsonb
$$;

create or replace function private.notification_values() returns jsonb
language sql immutable set search_path = '' as $$
  select $json${
  "what": {
    "task": "task",
    "message": "message",
    "profile": "profile",
    "review": "review"
  },
  "outcome": {
    "hidden": "has hidden it",
    "kept": "has found nothing against our rules"
  },
  "listing": {
    "listed_again": "The task is listed again.",
    "closed": "The task is closed.",
    "on_hold": "The task stays on hold while your account is suspended."
  },
  "role": {
    "admin": "administrator",
    "task_doer": "tasker",
    "task_giver": "task giver",
    "task_giver_task_doer": "tasker and task giver",
    "task_doer_admin": "administrator and tasker",
    "task_giver_admin": "administrator and task giver",
    "task_giver_task_doer_admin": "administrator, tasker and task giver"
  },
  "transfer": {
    "payout": "payout",
    "refund": "refund"
  },
  "text": {
    "photo": "Photo",
    "removed_message": "Removed message"
  },
  "reason": {
    "account_closed": "The bank account has been closed.",
    "account_restricted": "The bank takes no deposits for this account at the moment.",
    "other_holder": "The account does not belong to the name that the bank was given.",
    "account_not_found": "No account with these numbers was found, or it takes no deposits.",
    "currency_not_taken": "The account does not take {{currency}}.",
    "bank_refused": "The bank did not take it.",
    "account_incomplete": "Your payout account cannot take money yet. Your profile says under Payout what is missing; the money is sent at once when that is done.",
    "account_closed_by_provider": "The payment provider has closed your payout account. Enter your bank details again under Payout in your profile: that opens a new one, and the money is sent to it.",
    "platform_balance_low": "Our own balance at the payment provider is too low at the moment. There is nothing for you to do; we try again.",
    "provider_refused_payout": "The payment provider did not take it. We try again; if your payout account asks for something, the money is sent at once when that is done.",
    "provider_refused_refund": "The payment provider did not take it. We try again, and an administrator knows of it; there is nothing for you to do. If you have a question, write to us.",
    "admin_sends_payout": "An administrator looks into it and sends it. If your payout account asks for something, the money is sent at once when that is done."
  },
  "person": {
    "deleted_user": "Deleted user"
  },
  "name": {
    "deleted_user": "Deleted user"
  },
  "task": {
    "removed_task": "Removed task"
  },
  "verification": {
    "verified": "Verified.",
    "unverified": "Not verified yet."
  }
}$json$::jsonb
$$;
