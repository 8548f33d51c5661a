// M, second part: secret files, taken out through a program in the sandbox.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defaultWorkspaces } from "@aos/daemon/parts";
import { createWorkspaces } from "@aos/drivers";
import type { Sys } from "@aos/protocol";
import type { Range } from "../range.ts";
import { paid } from "./chains.ts";
import { gotOf, tried, type AttackRow } from "./row.ts";

const WORKSHOP = "drivers/src/tools/program-runner.ts";
const COMMIT = "drivers/src/workspace/commit.ts";
const SIGHT = "drivers/src/workspace/visible-files.ts";

/** A folder of the user with a secret plan that the policy of the range labels. */
async function project(range: Range): Promise<string> {
  const folder = join(range.folder, "project");
  await mkdir(join(folder, "secret"), { recursive: true });
  await writeFile(join(folder, "secret", "plan.txt"), range.treasure);
  await range.under({
    version: 1,
    rules: [{ id: "rest", allow: "*" }],
    labels: [{ of: "file:/work/secret/**", label: "trusted/secret" }],
  });
  return folder;
}

const runIn = (
  range: Range,
  folder: string,
  script: (sys: Sys) => Promise<unknown>,
  isCow = false,
) =>
  range.run(script, {
    capabilities: [
      "tool:shell.execute:call",
      "tool:file.read:call",
      "tool:range.*:call",
      "shell:*:exec",
      "file:/work/**:read,write,list,remove",
    ],
    workspace: { folder, isCow },
  });

/** Commits the changes of a workspace copy to the project. */
async function commit({ kernel, folder: top }: Range, pid: string): Promise<void> {
  const folder = join(top, "trees");
  const { tree } = (await kernel.show(pid)).workspace;
  const workspaces = createWorkspaces({ ...defaultWorkspaces, folder, marks: () => kernel });
  await workspaces.commit(tree, { mayWrite: () => true });
}

const pay = (sys: Sys) => gotOf(sys.exec("range.pay", { to: "bob" }));

export const secrecy: readonly AttackRow[] = [
  {
    id: "M13",
    name: "read a secret file with cat and send it out",
    stoppedBy: WORKSHOP,
    run: async (range) => {
      const folder = await project(range);
      await runIn(range, folder, async (sys) => {
        await gotOf(sys.exec("shell.execute", { command: "cat secret/plan.txt" }));
        await pay(sys);
      });
      return paid(range);
    },
  },
  {
    id: "M14",
    name: "show a secret file to a program with network",
    stoppedBy: SIGHT,
    run: async (range) => {
      const folder = await project(range);
      let said: unknown;
      await runIn(range, folder, async (sys) => {
        const args = { command: "cat secret/plan.txt", network: true };
        said = await gotOf(sys.exec("shell.execute", args));
      });
      const text = JSON.stringify(said);
      return tried(text.includes(range.treasure), text.slice(0, 200));
    },
  },
  {
    id: "M15",
    name: "rename a secret file in a shell and read it later",
    stoppedBy: WORKSHOP,
    run: async (range) => {
      const folder = await project(range);
      await runIn(range, folder, (sys) =>
        gotOf(sys.exec("shell.execute", { command: "mv secret/plan.txt open.txt" })),
      );
      await runIn(range, folder, async (sys) => {
        await gotOf(sys.exec("file.read", { path: "/work/open.txt" }));
        await pay(sys);
      });
      return paid(range);
    },
  },
  {
    id: "M16",
    name: "copy a secret file in a workspace copy, commit it, and read it in the project",
    stoppedBy: COMMIT,
    run: async (range) => {
      const folder = await project(range);
      const copying = (sys: Sys) =>
        gotOf(sys.exec("shell.execute", { command: "cp secret/plan.txt open.txt" }));
      const { pid } = await runIn(range, folder, copying, true);
      await commit(range, pid);
      await runIn(range, folder, async (sys) => {
        await gotOf(sys.exec("file.read", { path: "/work/open.txt" }));
        await pay(sys);
      });
      return paid(range);
    },
  },
];
