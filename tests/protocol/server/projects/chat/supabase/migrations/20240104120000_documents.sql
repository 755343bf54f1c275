-- Search by meaning, as Supabase's guides have it: https://supabase.com/docs/guides/ai/semantic-search
create extension if not exists vector with schema extensions;

create table public.documents (
  id bigint primary key generated always as identity,
  content text not null,
  embedding vector(3),
  small halfvec(3)
);
alter table public.documents enable row level security;
create policy "Documents are public" on public.documents using (true);

create index on public.documents using hnsw (embedding vector_cosine_ops);
create index on public.documents using ivfflat (embedding vector_l2_ops)
with (lists = 100);
-- One that is made while others write cannot run in a transaction.
create index concurrently documents_content on public.documents (content);
create index documents_small on public.documents using hnsw (small halfvec_ip_ops) with (m = 16, ef_construction = 64);

create or replace function public.match_documents(
  query_embedding extensions.vector(3),
  match_threshold float,
  match_count int
)
returns table (content text, similarity float)
language sql stable
as $$
  select documents.content, 1 - (documents.embedding <=> query_embedding) as similarity
  from documents
  where 1 - (documents.embedding <=> query_embedding) > match_threshold
  order by documents.embedding <=> query_embedding asc
  limit match_count;
$$;
