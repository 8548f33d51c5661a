// The process that is killed: does one thing to a workspace, and dies before the so-manieth change that
// it would make to a file.

import { createWorkspaces } from "@aos/drivers";

const [folder, act, killAt] = process.argv.slice(2) as [string, "commit" | "undo", string];
let steps = 0;

const workspaces = createWorkspaces({
  folder,
  ttlMs: 1000,
  maxBytes: 1_000_000,
  step: () => {
    steps += 1;
    if (steps === Number(killAt)) process.kill(process.pid, "SIGKILL");
  },
});
await workspaces[act]("agt_1", { mayWrite: () => true });
