// The inbox page's own style and its one script, which keeps the list fresh.

export const CSS = `
.inbox{display:grid;grid-template:auto 1fr/minmax(18rem,24rem) 1fr;min-height:calc(100vh - 2.2rem)}
.inbox header{grid-column:1/-1;min-height:4.5rem;display:flex;flex-wrap:wrap;align-items:center;gap:.6rem 1.25rem;padding:1.1rem 1.25rem;border-bottom:1px solid var(--line)}
.home{display:flex;align-items:center;gap:.5rem;color:inherit;text-decoration:none;font-weight:700;letter-spacing:-.01em}
.home img{width:1.75rem;height:1.75rem}
.home:hover{text-decoration:underline;text-underline-offset:3px}
header h1{font-size:1.25rem;font-weight:500;color:var(--soft)}
form[role=search]{margin-left:auto;display:flex;align-items:center;gap:.6rem}
form[role=search] label{color:var(--soft);font-size:.875rem}
input{font:inherit;color:inherit;background:var(--surface);border:1px solid var(--strong);border-radius:10px;padding:.45rem .7rem;min-height:2.5rem;width:min(16rem,60vw)}
nav{border-right:1px solid var(--line);overflow:auto;max-height:calc(100vh - 7rem)}
ol,ul{list-style:none;margin:0;padding:0}
nav a{display:grid;grid-template-columns:1fr auto;gap:.1rem .75rem;padding:.8rem 1.25rem;border-bottom:1px solid var(--line);color:inherit;text-decoration:none}
nav a:hover{background:var(--sunken)}
nav a[aria-current]{background:var(--surface);box-shadow:inset 3px 0 var(--wheat)}
.who{font-weight:600;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.what{color:var(--soft);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
nav time{color:var(--faint);font-size:.875rem;font-variant-numeric:tabular-nums}
.kind{font-size:.75rem;color:var(--faint);align-self:center;justify-self:end}
.kind.sms{color:var(--sky)}
.empty{padding:1.25rem;color:var(--soft)}
#message{padding:1.5rem clamp(1.25rem,4vw,3rem);display:grid;grid-template-columns:minmax(0,1fr);gap:1rem;align-content:start;min-width:0}
.meta{color:var(--soft);overflow-wrap:anywhere}
.back{display:none}
.code{display:flex;gap:.75rem;align-items:baseline}
.code span{color:var(--soft)}
.code strong{font-size:1.75rem;letter-spacing:.12em;font-variant-numeric:tabular-nums}
.links{display:grid;grid-template-columns:minmax(0,1fr);gap:.35rem}
.links a{display:block;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
iframe{width:100%;height:min(36rem,60vh);border:1px solid var(--line);border-radius:10px;background:#fff}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;font:inherit;background:var(--surface);border:1px solid var(--line);border-radius:10px;padding:1rem}
summary{cursor:pointer;color:var(--soft);padding:.4rem 0}
.quiet{padding:12vh 0;display:grid;gap:.5rem;color:var(--soft);justify-items:center;text-align:center}
@media (max-width:46rem){
  .inbox{grid-template:auto auto 1fr/1fr}
  nav{border-right:0;max-height:none}
  .inbox:not(.reading) #message,.reading nav{display:none}
  .back{display:inline-block}
  form[role=search]{margin-left:0;width:100%}
  input{flex:1;width:auto}
}
`

export const SCRIPT = `
const list=document.getElementById('list'),news=document.getElementById('news'),field=document.getElementById('to');
let tag='',waiting;
async function refresh(){
  if(document.hidden)return;
  try{
    const answer=await fetch('/sandbox/inbox/list'+list.dataset.query,{headers:tag?{'if-none-match':tag}:{},cache:'no-store'});
    if(answer.status!==200)return;
    const first=tag==='';tag=answer.headers.get('etag')??'';
    const focused=document.activeElement?.closest('#list a')?.getAttribute('href');
    list.innerHTML=await answer.text();
    if(focused)[...list.querySelectorAll('a')].find((a)=>a.getAttribute('href')===focused)?.focus();
    if(!first){
      news.textContent='New message';
      if(!new URLSearchParams(location.search).has('message'))location.reload();
    }
  }catch{}
}
setInterval(refresh,2000);
document.addEventListener('visibilitychange',refresh);
field.addEventListener('input',()=>{clearTimeout(waiting);waiting=setTimeout(()=>field.form.requestSubmit(),600)});
if(field.value){field.focus();field.setSelectionRange(field.value.length,field.value.length)}
`
