// Questions about a task: who asks, answers, reads and removes them, under which limits, and who is notified.
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { apply, move, postTask, refusal, tryInsert } from './lives.ts'
import { as, cast, databaseWithCast, owner, type Persona, signUp } from './personas.ts'

const db = databaseWithCast({ fresh: true })

const ask = (task: string, question: string, by: string = 'theo', asker = cast.theo as string) =>
  tryInsert(db, by, 'task_questions', { task_id: task, asker_id: asker, question })
const answer = (question: string, text: string, by: string = 'grace', giver: string = cast.grace) =>
  tryInsert(db, by, 'task_answers', { question_id: question, giver_id: giver, answer: text })
/** Theo asks; returns the question. */
async function asked(task: string, question = 'Is salt there?'): Promise<string> {
  const id = randomUUID()
  expect(
    await tryInsert(db, 'theo', 'task_questions', { id, task_id: task, asker_id: cast.theo, question }),
  ).toBe(null)
  return id
}
const read = async (person: Persona) =>
  (
    await as(
      db,
      person,
    )(
      `select q.question, a.answer from public.task_questions q left join public.task_answers a on a.question_id = q.id
       order by q.created_at, q.question`,
    )
  ).rows
const notices = async (person: Persona) =>
  (
    await as(
      db,
      person,
    )(`select key, message, link from public.notifications where key ~ '^question_' order by created_at`)
  ).rows
const offeredToTheo = async () => {
  const task = await postTask(db)
  await owner(db)(
    `update public.tasks set status = 'asked', asked_tasker_id = $2, asked_until = now() + interval '1 day' where id = $1`,
    [task, cast.theo],
  )
  return task
}

describe('a question', () => {
  it('and its answer are read by everybody who sees the task, masked, and the other person is notified', async () => {
    const task = await postTask(db)
    const question = await asked(task, ' Is salt there? Call 306-555-0123 ')
    expect(await answer(question, 'Yes, write to grace@mail.example')).toBe(null)
    for (const person of ['anonymous', 'sam', 'theo', 'grace', 'ada'] as const)
      expect([person, await read(person)]).toEqual([
        person,
        [{ question: 'Is salt there? Call •••', answer: 'Yes, write to •••' }],
      ])
    expect(await notices('grace')).toEqual([
      {
        key: 'question_asked',
        message:
          'Theo T. asked a question about "Clear the driveway". Everybody who sees the task reads your answer.',
        link: `/task/${task}?question=${question}`,
      },
    ])
    expect(await notices('theo')).toEqual([
      {
        key: 'question_answered',
        message: 'Grace G. answered your question about "Clear the driveway".',
        link: `/task/${task}?question=${question}&side=task_doer`,
      },
    ])
    await owner(db)(`update public.tasks set status = 'cancelled' where id = $1`, [task])
    expect(await read('sam')).toEqual([])
    expect(await read('grace')).toHaveLength(1)
  })

  it.each<[string, string]>([
    ['', 'Write your question'],
    [' \u200b ', 'Write your question'],
    ['x'.repeat(501), 'Question too long (max 500 characters)'],
  ])('is refused with the rule that it breaks: %j', async (text, rule) => {
    const task = await postTask(db)
    expect(await ask(task, text)).toBe(rule)
    expect(await ask(task, 'x'.repeat(500))).toBe(null)
  })

  it('is asked by taskers for themselves, about open tasks of others', async () => {
    const task = await postTask(db)
    expect(await ask(task, 'Salt?', 'anonymous')).toMatch(/permission denied/)
    expect(await ask(task, 'Salt?', 'sam')).toBe('You can only ask for yourself')
    expect(await ask(task, 'Salt?', 'grace', cast.grace)).toMatch(/Only taskers|your own task/)
    await owner(db)(`insert into public.user_roles (user_id, role) values ($1, 'task_doer')`, [cast.grace])
    expect(await ask(task, 'Salt?', 'grace', cast.grace)).toBe('This is your own task')
    expect(await ask(randomUUID(), 'Salt?')).toBe('Questions can only be asked while the task is open')
    for (const state of [`status = 'cancelled'`, `hidden_for = 'report'`, `hidden_for = 'suspension'`]) {
      const closed = await postTask(db)
      await owner(db)(`update public.tasks set ${state} where id = $1`, [closed])
      expect([state, await ask(closed, 'Salt?')]).toEqual([
        state,
        'Questions can only be asked while the task is open',
      ])
    }
    await owner(db)(`insert into public.suspensions (user_id, reason) values ($1, 'Spam')`, [cast.theo])
    expect(await ask(task, 'Salt?')).toMatch(/^Your account is suspended/)
  })

  it('is asked once and at most five times about a task, also at the same moment', async () => {
    const task = await postTask(db)
    const same = await Promise.all(Array.from({ length: 3 }, () => ask(task, 'Is salt there?')))
    expect(same.filter((said) => said === null)).toHaveLength(1)
    expect(await ask(task, ' is SALT there? ')).toBe('You have asked this already')
    const more = await Promise.all(Array.from({ length: 6 }, (_, n) => ask(task, `Question ${n}`)))
    expect(more.filter((said) => said === null)).toHaveLength(4)
    expect(more).toContain('You can ask at most 5 questions about a task')
    const tasker = await signUp(db, { name: 'Tasker Two', role: 'task_doer' })
    expect(await ask(task, 'Is salt there?', tasker, tasker)).toBe(null)
  })

  it('is removed by its asker until it is answered, with the notice of it, and by nobody else', async () => {
    const task = await postTask(db)
    const question = await asked(task)
    const remove = (person: string) =>
      as(db, person)('delete from public.task_questions where id = $1', [question])
    for (const person of ['grace', 'sam', 'ada'] as const) expect((await remove(person)).rowCount).toBe(0)
    await answer(question, 'Yes')
    expect(await refusal(remove('theo'))).toBe('This question is answered and can no longer be removed')
    await owner(db)('delete from public.task_answers')
    expect((await remove('theo')).rowCount).toBe(1)
    expect(await notices('grace')).toEqual([])
    const { rows } = await owner(db)(`select key from private.email_events where key = 'question_asked'`)
    expect(rows).toEqual([])
  })

  it('that was asked while the task was offered to one tasker stays between the two', async () => {
    const task = await offeredToTheo()
    const tasker = await signUp(db, { name: 'Tasker Two', role: 'task_doer' })
    expect(await ask(task, 'Salt?', tasker, tasker)).toBe(
      'Questions can only be asked while the task is open',
    )
    await answer(await asked(task), 'Yes')
    await owner(db)(
      `update public.tasks set status = 'open', asked_tasker_id = null, asked_until = null where id = $1`,
      [task],
    )
    for (const person of ['theo', 'grace', 'ada'] as const) expect(await read(person)).toHaveLength(1)
    for (const person of ['anonymous', 'sam'] as const) expect(await read(person)).toEqual([])
    const { rows } = await as(db, 'sam')('select answer from public.task_answers')
    expect(rows).toEqual([])
  })
})

describe('an answer', () => {
  it('is given once by the giver of the open task, also at the same moment', async () => {
    const task = await postTask(db)
    const question = await asked(task)
    expect(await answer(question, '')).toBe('Write your answer')
    expect(await answer(question, 'x'.repeat(501))).toBe('Answer too long (max 500 characters)')
    for (const person of ['theo', 'sam', 'ada'] as const)
      expect(await answer(question, 'Yes', person, cast[person])).toBe(
        'Only the giver of the task can answer',
      )
    expect(await answer(question, 'Yes', 'theo')).toBe('Only the giver of the task can answer')
    expect(await answer(randomUUID(), 'Yes')).toBe('This question is no longer there')
    const said = await Promise.all(['Yes', 'No', 'Perhaps'].map((text) => answer(question, text)))
    expect(said.filter((one) => one === null)).toHaveLength(1)
    expect(said).toContain('You have answered this question already')
    const other = await asked(task, 'How deep is it?')
    const booking = await apply(db, task)
    await move(db, booking, cast.grace, 'accepted')
    expect(await answer(other, 'Deep')).toBe('Questions can only be answered while the task is open')
  })

  it('is changed by the giver for ten minutes, masked again, and removed by nobody', async () => {
    const question = await asked(await postTask(db))
    await answer(question, 'Yes')
    const change = (person: Persona, text: string) =>
      as(db, person)('update public.task_answers set answer = $1', [text])
    for (const person of ['theo', 'sam', 'ada'] as const)
      expect((await change(person, 'No')).rowCount).toBe(0)
    expect((await change('grace', 'No, ask at grace@mail.example')).rowCount).toBe(1)
    expect(await read('sam')).toEqual([{ question: 'Is salt there?', answer: 'No, ask at •••' }])
    expect(await refusal(change('grace', ' '))).toBe('Write your answer')
    await owner(db)(`update public.task_answers set created_at = now() - interval '11 minutes'`)
    expect(await refusal(change('grace', 'Yes'))).toBe(
      'An answer can be changed for 10 minutes after it was given',
    )
    for (const person of ['grace', 'theo', 'ada'] as const)
      expect(await refusal(as(db, person)('delete from public.task_answers'))).toMatch(/permission denied/)
  })

  it('comes from no suspended giver', async () => {
    const question = await asked(await postTask(db))
    await owner(db)(`insert into public.suspensions (user_id, reason) values ($1, 'Spam')`, [cast.grace])
    expect(await answer(question, 'Yes')).toMatch(/^Your account is suspended/)
  })
})

describe('a report', () => {
  const report = (by: Persona, kind: string, subject: string) =>
    as(db, by)(`select public.report_content($1::public.reported_kind, $2, 'This is an advertisement.')`, [
      kind,
      subject,
    ])
  const decide = (hide: boolean) =>
    as(db, 'ada')(
      `select public.decide_report((select id from public.reports order by created_at desc limit 1), $1, 'No advertisements')`,
      [hide],
    )
  const restrictions = async (person: Persona) =>
    (await as(db, person)('select kind, subject_id, title, reason from public.my_restrictions()')).rows

  it('of a question hides it and its answer from all but its asker and admins, and shows it again', async () => {
    const task = await postTask(db)
    const question = await asked(task)
    expect(await answer(question, 'Yes')).toBe(null)
    expect(await refusal(report('theo', 'question', question))).toBe('This is your own')
    await report('grace', 'question', question)
    await decide(true)
    const both = { question: 'Is salt there?', answer: 'Yes' }
    for (const person of ['anonymous', 'sam', 'grace'] as const) expect(await read(person)).toEqual([])
    for (const person of ['theo', 'ada'] as const) expect(await read(person)).toEqual([both])
    expect(await restrictions('theo')).toEqual([
      { kind: 'question', subject_id: task, title: 'Clear the driveway', reason: 'No advertisements' },
    ])
    await decide(false)
    expect(await read('anonymous')).toEqual([both])
  })

  it('of an answer hides the answer alone, which its question still has', async () => {
    const task = await postTask(db)
    const question = await asked(task)
    expect(await answer(question, 'Yes')).toBe(null)
    expect(await refusal(report('grace', 'answer', question))).toBe('This is your own')
    await report('sam', 'answer', question)
    await decide(true)
    for (const person of ['anonymous', 'sam', 'theo'] as const)
      expect(await read(person)).toEqual([{ question: 'Is salt there?', answer: null }])
    expect(await read('grace')).toEqual([{ question: 'Is salt there?', answer: 'Yes' }])
    expect(await restrictions('grace')).toMatchObject([{ kind: 'answer', subject_id: task }])
    expect(await answer(question, 'Yes, really')).toBe('You have answered this question already')
    expect(await refusal(as(db, 'theo')('delete from public.task_questions'))).toMatch(/is answered/)
    await decide(false)
    expect(await read('sam')).toEqual([{ question: 'Is salt there?', answer: 'Yes' }])
  })
})

it('questions and answers of a person are in their export, and are erased with their account', async () => {
  const question = await asked(await postTask(db))
  await answer(question, 'Yes')
  const dataOf = async (person: string) =>
    (await owner(db)('select public.data_of_person($1) as data', [person])).rows[0].data
  expect((await dataOf(cast.theo)).questions_asked).toMatchObject([
    { question: 'Is salt there?', answer: 'Yes' },
  ])
  expect((await dataOf(cast.grace)).questions_answered).toMatchObject([{ answer: 'Yes' }])
  // As erase_person does it for an account with payments, whose profile stays.
  await owner(db)('select private.erase_questions($1)', [cast.grace])
  expect(await read('anonymous')).toEqual([{ question: 'Is salt there?', answer: null }])
  await owner(db)('select private.erase_questions($1)', [cast.theo])
  expect(await read('anonymous')).toEqual([])
})
