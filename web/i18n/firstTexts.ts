// Which texts of a language come with its first load, in one file: what the frame around every screen and the
// browsing of tasks show. The others come with the screens that name them (web/app/router.tsx).

export const FIRST_TEXTS = ['errors', 'layout', 'messages', 'notifications', 'tasks', 'ui'] as const
