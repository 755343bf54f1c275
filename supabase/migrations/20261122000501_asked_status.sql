-- A task that one tasker was asked to do first. By itself, because a new value can be used once it is committed.

alter type public.task_status add value 'asked' before 'open';
