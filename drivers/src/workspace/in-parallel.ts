// In parallel: runs tasks concurrently, up to the number of threads.

const AT_ONCE = 8;

/** The first failure is thrown once everything that was begun has ended. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  const worker = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) {
      if (failure !== undefined) return;
      await work(next.value).catch((error: unknown) => {
        failure ??= { error };
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (failure !== undefined) throw failure.error;
}
