import type { Kernel } from "@aos/kernel";
import type { Workspaces } from "@aos/drivers";
import { SysError, type ProcessState } from "@aos/protocol";
import { expect, test } from "vitest";
import { keepWorkspaces } from "./workspace-keeper.ts";

const log = { info: () => {}, error: () => {} } as never;

/** Workspaces of these trees, of which each is removed that is not alive. */
function workspacesOf(trees: readonly string[]) {
  const removed: string[] = [];
  const workspaces = {
    recover: async () => [],
    collect: async (_: number, isAlive: (tree: string) => boolean | Promise<boolean>) => {
      for (const tree of trees) if (!(await isAlive(tree))) removed.push(tree);
      return { removed, kept: 0, bytes: 0 };
    },
  } as unknown as Workspaces;
  return { workspaces, removed };
}

function kernelOf(states: Readonly<Record<string, ProcessState>>): Pick<Kernel, "show"> {
  const show = async (pid: string) => {
    const state = states[pid];
    if (state === undefined) throw new SysError("ENOENT", pid);
    return { state } as never;
  };
  return { show };
}

test("what is alive keeps its workspace, however many others are alive (WORKSPACE-KEEPER-1)", async () => {
  const trees = Array.from({ length: 3000 }, (_, n) => `agt_${n}`);
  const states = Object.fromEntries(trees.map((tree) => [tree, "waiting" as const]));
  const { workspaces, removed } = workspacesOf([...trees, "agt_ended", "agt_unknown"]);

  const keeping = await keepWorkspaces(
    workspaces,
    kernelOf({ ...states, agt_ended: "completed" }),
    log,
  );

  expect(removed).toEqual(["agt_ended", "agt_unknown"]);
  keeping.close();
});

test("where it cannot be said what is alive, nothing is removed", async () => {
  const { workspaces, removed } = workspacesOf(["agt_1"]);
  const show = () => Promise.reject(new SysError("ESTORE", "the disk is full"));

  const keeping = await keepWorkspaces(workspaces, { show }, log);

  expect(removed).toEqual([]);
  keeping.close();
});
