// Walk graph: starts each node as soon as what it depends on is done, so many at once. Plans and workflows are walked
// by it.
//
// WALK-GRAPH-1  It is deterministic: what starts next depends on the graph and on the order of the ends.
// WALK-GRAPH-2  It ends when nothing runs and nothing can start.

interface Graph<Outcome extends { readonly id: string }> {
  /** Those that have not begun; one that begins is removed. */
  readonly open: Set<string>;
  readonly parallel: number;
  isReady(id: string): boolean;
  /** Before anything is started: what needs no run may be marked as done. */
  passOver?(): void;
  start(id: string): Promise<Outcome>;
  ended(outcome: Outcome): void;
}

export async function walkGraph<Outcome extends { readonly id: string }>(
  graph: Graph<Outcome>,
): Promise<void> {
  const { open, parallel } = graph;
  const running = new Map<string, Promise<Outcome>>();
  for (;;) {
    graph.passOver?.();
    for (const id of open)
      if (running.size < parallel && graph.isReady(id)) {
        const run = graph.start(id);
        run.catch(() => {}); // the race throws the first; those after it are nobody's
        running.set(id, run);
        open.delete(id);
      }
    if (running.size === 0) return;
    const outcome = await Promise.race(running.values());
    running.delete(outcome.id);
    graph.ended(outcome);
  }
}
