-- Commands on a schedule, with pg_cron's names, tables and arguments (https://github.com/citusdata/pg_cron). The server
-- looks at cron.job every minute, in UTC, and runs what is due as the role that scheduled it.
do $$ begin
  raise warning 'pg_cron is a stand-in: the server runs what is due, in UTC, and nothing runs while no server does';
end $$;

do $$ begin
  if to_regnamespace('cron') is null then create schema cron; end if;
end $$;

create table cron.job (
  jobid bigserial primary key,
  schedule text not null,
  command text not null,
  nodename text not null default 'localhost',
  nodeport integer not null default 5432,
  database text not null default current_database(),
  username text not null default current_user,
  active boolean not null default true,
  jobname text,
  unique (jobname, username)
);
alter table cron.job enable row level security;
create policy cron_job_policy on cron.job using (username = current_user);

create table cron.job_run_details (
  jobid bigint,
  runid bigserial primary key,
  job_pid integer,
  database text,
  username text,
  command text,
  status text,
  return_message text,
  start_time timestamptz,
  end_time timestamptz
);
alter table cron.job_run_details enable row level security;
create policy cron_job_run_details_policy on cron.job_run_details using (username = current_user);

-- The latest moment for which somebody took a job, so that one of several servers runs it.
create table cron.taken (
  jobid bigint primary key references cron.job on delete cascade,
  due timestamptz not null
);

create function cron._checked(schedule text) returns text language plpgsql immutable as $$
begin
  if schedule ~ '^([1-9]|[1-5][0-9]) seconds?$' or schedule ~ '^@(hourly|daily|midnight|weekly|monthly|yearly|annually)$'
    or schedule ~* '^\s*[-0-9*/,]+\s+[-0-9*/,]+\s+[-0-9*/,$]+\s+[-0-9*/,a-z]+\s+[-0-9*/,a-z]+\s*$'
  then
    return schedule;
  end if;
  raise exception 'invalid schedule: %', schedule
    using errcode = '22023', hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
end
$$;

create function cron._schedule(job_name text, schedule text, command text, owner text) returns bigint
language sql security definer set search_path = '' as $$
  insert into cron.job (jobname, schedule, command, username)
  values (job_name, cron._checked(schedule), command, owner)
  on conflict (jobname, username) do update set schedule = excluded.schedule, command = excluded.command
  returning jobid
$$;
revoke all on function cron._schedule from public;

create function cron.schedule(job_name text, schedule text, command text) returns bigint language sql as $$
  select cron._schedule(job_name, schedule, command, current_user)
$$;

create function cron.schedule(schedule text, command text) returns bigint language sql as $$
  select cron._schedule(null, schedule, command, current_user)
$$;

create function cron.unschedule(job_id bigint) returns boolean language plpgsql as $$
begin
  delete from cron.job where jobid = job_id and username = current_user;
  if not found then
    raise exception 'could not find valid entry for job %', job_id;
  end if;
  return true;
end
$$;

create function cron.unschedule(job_name text) returns boolean language plpgsql as $$
begin
  delete from cron.job where jobname = job_name and username = current_user;
  if not found then
    raise exception 'could not find valid entry for job ''%''', job_name;
  end if;
  return true;
end
$$;

create function cron.alter_job(
  job_id bigint,
  schedule text default null,
  command text default null,
  database text default null,
  username text default null,
  active boolean default null
) returns void language sql as $$
  update cron.job as job
  set
    schedule = coalesce(cron._checked(alter_job.schedule), job.schedule),
    command = coalesce(alter_job.command, job.command),
    active = coalesce(alter_job.active, job.active)
  where job.jobid = job_id and job.username = current_user
$$;

grant usage on schema cron to postgres with grant option;
grant execute on all functions in schema cron to postgres with grant option;
grant select, update, delete on cron.job to postgres;
grant select, delete on cron.job_run_details to postgres with grant option;
grant all on all sequences in schema cron to postgres;
