// Answers, and leaves a promise behind that fails later with nobody to catch it.
export default async function handler(): Promise<Response> {
  setTimeout(() => Promise.reject(new Error('dropped a basket')), 10)
  return new Response('picked')
}
