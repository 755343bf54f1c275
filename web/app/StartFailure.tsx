// Shown when the app's configuration cannot be read: the server is down or the network is. No t() here: languages may
// be what failed.
export function StartFailure() {
  return (
    <main className="grid min-h-dvh place-items-center p-6 text-center">
      <div>
        <h1 className="text-3xl">Meadowlark cannot be reached</h1>
        <p className="mt-3 text-ink-soft">Check your connection and try again in a moment.</p>
        <button
          type="button"
          onClick={() => location.reload()}
          className="mt-6 h-11 rounded-md bg-wheat px-4 font-semibold text-on-wheat"
        >
          Try again
        </button>
      </div>
    </main>
  )
}
