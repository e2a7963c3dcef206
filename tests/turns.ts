/** Counts the turns of the event loop while the work runs. If there are none, the work blocked all other requests. */
export async function turnsDuring<T>(work: () => Promise<T>): Promise<{ readonly turns: number; readonly result: T }> {
  let [turns, over] = [0, false];
  const count = () => {
    if (over) return;
    turns++;
    setImmediate(count);
  };
  setImmediate(count);
  const result = await work();
  over = true;
  return { turns, result };
}
