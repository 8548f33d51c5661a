// Tree: processes below those that started them, as lines of at most 80 columns, and as data.
//
// TOP-TREE-1  Every process is there once, below its parent where that is there too; in the order of their starts.
// TOP-TREE-2  Without `wide` no line has more than 80 columns.

import { isEnded, type ProcessInfo } from "@aos/protocol/words";
import { printable } from "../printable.ts";
import { ago } from "../table.ts";

export interface ProcessBranch extends ProcessInfo {
  /** With all that is shown below it. */
  readonly treeCostUsd: number;
  readonly children: readonly ProcessBranch[];
}

interface TreeLine {
  readonly pid: string;
  readonly text: string;
}

/** TOP-TREE-1. */
export function processTree(processes: readonly ProcessInfo[]): ProcessBranch[] {
  const byPid = new Map(processes.map((process) => [process.pid as string, process]));
  const below = Map.groupBy(byPid.values(), ({ parent }) =>
    parent !== null && byPid.has(parent) ? (parent as string) : "",
  );
  const branch = (process: ProcessInfo): ProcessBranch => {
    const children = branches(process.pid);
    const treeCostUsd = children.reduce((sum, one) => sum + one.treeCostUsd, process.costUsd);
    return { ...process, treeCostUsd, children };
  };
  const branches = (parent: string): ProcessBranch[] =>
    (below.get(parent) ?? []).toSorted(byStart).map(branch);
  return branches("");
}

const byStart = (one: ProcessInfo, other: ProcessInfo): number =>
  one.startedAt < other.startedAt
    ? -1
    : one.startedAt > other.startedAt
      ? 1
      : one.pid < other.pid
        ? -1
        : 1;

/** Those that live, and of those that ended the children of what is shown. */
export function shownInTree(
  living: readonly ProcessInfo[],
  ended: readonly ProcessInfo[],
): ProcessInfo[] {
  const shown = new Map(living.map((process) => [process.pid as string, process]));
  const oldestFirst = ended.toSorted(byStart);
  for (const process of oldestFirst)
    if (process.parent !== null && shown.has(process.parent)) shown.set(process.pid, process);
  return [...shown.values()];
}

const WIDTHS = { agent: 34, state: 20, cost: 8, mail: 4, age: 5 } as const;

export const treeHeading = (isWide: boolean): string =>
  row(
    { agent: "AGENT", state: "STATE", cost: "COST", mail: "MAIL", age: "AGE", pid: "PID" },
    isWide,
  );

export function treeLines(
  tree: readonly ProcessBranch[],
  { nowMs, isWide }: { readonly nowMs: number; readonly isWide: boolean },
): TreeLine[] {
  const lines: TreeLine[] = [];
  const walk = (branches: readonly ProcessBranch[], above: string, isTop: boolean): void => {
    for (const [nth, branch] of branches.entries()) {
      const isLast = nth === branches.length - 1;
      const joint = isTop ? "" : isLast ? "└─ " : "├─ ";
      const { pid, agent, name, mailbox, treeCostUsd, startedAt } = branch;
      const called = name === null ? agent : `${agent} (${name})`;
      const text = row(
        {
          agent: `${above}${joint}${printable(called)}`,
          state: stateOf(branch),
          cost: `$${treeCostUsd.toFixed(4)}`,
          mail: mailbox.depth === 0 ? "-" : String(mailbox.depth),
          age: ago(startedAt, nowMs),
          pid,
        },
        isWide,
      );
      lines.push({ pid, text });
      walk(branch.children, isTop ? "" : `${above}${isLast ? "   " : "│  "}`, false);
    }
  };
  walk(tree, "", true);
  return lines;
}

function stateOf({ state, waitingOn, exitCode }: ProcessInfo): string {
  if (isEnded(state)) return exitCode === null || exitCode === 0 ? state : `${state} ${exitCode}`;
  return waitingOn === null ? state : `${state} (${waitingOn})`;
}

/** TOP-TREE-2. */
function row(
  cells: Readonly<Record<keyof typeof WIDTHS | "pid", string>>,
  isWide: boolean,
): string {
  const fixed = (Object.keys(WIDTHS) as (keyof typeof WIDTHS)[]).map((name) => {
    const width = WIDTHS[name];
    const text = cells[name];
    return (text.length > width ? `${text.slice(0, width - 1)}…` : text).padEnd(width);
  });
  return [...fixed, ...(isWide ? [cells.pid] : [])].join("  ").trimEnd();
}
