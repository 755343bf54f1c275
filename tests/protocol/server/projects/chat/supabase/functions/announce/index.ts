// Stores the events that it receives, through the Data API with all rights: called by the database's webhooks.
const headers = {
  apikey: Deno.env.get('SUPABASE_SERVICE_ROLE_KEY') ?? '',
  authorization: `Bearer ${Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')}`,
  'content-type': 'application/json',
}

Deno.serve(async (request: Request) => {
  const said = await request.json()
  const answer = await fetch(`${Deno.env.get('SUPABASE_URL')}/rest/v1/announcements`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ said: { ...said, team: Deno.env.get('TEAM') } }),
  })
  return new Response(await answer.text(), { status: answer.status })
})
