// Tree: runs under the run that started them.
//
// TREE-1  Every run is there exactly once, whatever the list is short of: a run whose parent is not
//     listed stands at the top.
// TREE-2  What stands at the top keeps the order of the list (newest first); children are in the order of
//     their birth.

import type { ProcessInfo } from "@aos/protocol/words";

export interface Branch {
  readonly run: ProcessInfo;
  readonly depth: number;
}

export function treeOf(runs: readonly ProcessInfo[]): Branch[] {
  const listed = new Set<string>(runs.map(({ pid }) => pid));
  const isTop = ({ parent }: ProcessInfo) => parent === null || !listed.has(parent);
  const children = Map.groupBy(
    runs.filter((run) => !isTop(run)),
    ({ parent }) => parent as string,
  );
  const branches: Branch[] = [];
  const grow = (run: ProcessInfo, depth: number) => {
    branches.push({ run, depth });
    for (const child of (children.get(run.pid) ?? []).toReversed()) grow(child, depth + 1);
  };
  for (const run of runs) if (isTop(run)) grow(run, 0);
  return branches;
}
