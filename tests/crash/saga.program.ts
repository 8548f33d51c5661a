// The process that is killed: a workflow of five steps whose fourth fails, so that three are taken back.

import { writeSync } from "node:fs";
import { bootKernel } from "@aos/kernel";
import type { ManifestText, Program } from "@aos/protocol";
import { programs } from "@aos/userland";
import { join } from "node:path";
import { toolsWith } from "./mixed-run.ts";
import { Witness } from "./witness.ts";

const [folder = ""] = process.argv.slice(2);
const witness = new Witness(join(folder, "witness"));

const step = (id: string) => ({
  id,
  tool: "charge",
  args: { what: id },
  onDoubt: "retry",
  undo: { tool: "charge", args: { what: `undo ${id}` }, onDoubt: "retry" },
});

const manifest = {
  apiVersion: "aos/v1",
  kind: "Workflow",
  name: "saga",
  capabilities: ["tool:*:call"],
  steps: [step("a"), step("b"), step("c"), { id: "d", tool: "refuse", args: {} }, step("e")],
} as unknown as ManifestText;

const kernel = await bootKernel({
  store: { file: join(folder, "aos.db") },
  auditFolder: join(folder, "audit"),
  programs: { workflow: programs["workflow"]!.run as Program },
  tools: [
    ...toolsWith(witness, "retry"),
    {
      name: "refuse",
      version: "1",
      description: "to fail",
      input: {},
      effect: "idempotent",
      label: { integrity: "trusted", secrecy: "public" },
      touches: () => [],
      run: async () => {
        throw new Error("no luck");
      },
    },
  ],
  durability: "every-call",
  unloadAfterMs: 60,
});
const [known] = await kernel.list();
const pid = known?.pid ?? (await kernel.spawn({ manifest }));
const ending = await kernel.wait(pid, { timeoutMs: 120_000 });
const { difference } = await kernel.replay(pid);
const { findings } = await kernel.verify();
writeSync(1, `${JSON.stringify({ ending, difference, findings })}\n`);
await kernel.close();
