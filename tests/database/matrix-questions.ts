// The questions about tasks, their answers and the saved application texts, in the policy matrix.
import type { Rules } from './matrix-rules.ts'
import { cast } from './personas.ts'

const id = (person: keyof typeof cast) => `'${cast[person]}'`
const question = '(select id from subject where name = $$question$$)'
const openTask = '(select id from subject where name = $$open task$$)'

export const questionTables: Record<string, Rules> = {
  task_questions: {
    anon: 'select',
    authenticated: { select: true, insert: ['id', 'task_id', 'asker_id', 'question'], delete: true },
    row: `id = ${question}`,
    reads: { posted: 'anonymous grace theo ada sam', accepted: 'grace theo ada' },
    inserts: [{ task_id: openTask, asker_id: id('theo'), question: `'Is salt there?'` }, 'theo'],
    deletes: '',
  },
  task_answers: {
    anon: 'select',
    authenticated: { select: true, insert: ['question_id', 'giver_id', 'answer'], update: ['answer'] },
    row: `question_id = ${question}`,
    reads: { posted: 'anonymous grace theo ada sam', accepted: 'grace theo ada' },
    writes: { answer: [`'No'`, 'grace'] },
    inserts: [
      {
        question_id: '(select id from subject where name = $$open question$$)',
        giver_id: id('grace'),
        answer: `'Yes'`,
      },
      'grace',
    ],
  },
  application_texts: {
    authenticated: {
      select: true,
      insert: ['user_id', 'title', 'text'],
      update: ['title', 'text'],
      delete: true,
    },
    row: `user_id = ${id('theo')}`,
    reads: 'theo',
    writes: { title: [`'Winter'`, 'theo'], text: [`'I have salt.'`, 'theo'] },
    inserts: [{ user_id: id('sam'), title: `'Snow'`, text: `'I have a blower.'` }, 'sam'],
    deletes: 'theo',
  },
}
