// J: modes, rates, dry runs and sequence rules of security.md and policy files.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sys } from "@aos/protocol";
import type { Range } from "../range.ts";
import { paid, PAY } from "./chains.ts";
import { codeOf, tried, type AttackRow, type AttackOutcome } from "./row.ts";
import { frontOf } from "./urls.ts";

const SECURITY = "kernel/src/policy-formats/security-rules.ts";
const LAYER = "kernel/src/policy/layer.ts";
const TOOLS = "tool:range.*:call";

const security = (mode: string, policies: readonly object[], signals = ["SIGTERM", "SIGKILL"]) => ({
  kernel: { version: "1.0", mode },
  signals,
  policies: [{ action: "*", effect: "allow" }, ...policies],
});
const rules = (...more: readonly object[]) => ({
  version: 1,
  rules: [{ id: "rest", allow: "*" }, ...more],
});

const pay = (sys: Sys) => codeOf(sys.exec("range.pay", { to: "bob" }));

const times = async (count: number, one: () => Promise<unknown>): Promise<void> => {
  for (let i = 0; i < count; i++) await one();
};

/** Acts under a document, with more power than the document allows. */
const under =
  (
    document: object,
    format: "policy" | "security.md",
    act: (sys: Sys, range: Range) => Promise<unknown>,
    look: (range: Range) => AttackOutcome | Promise<AttackOutcome>,
  ) =>
  async (range: Range): Promise<AttackOutcome> => {
    await range.under(document, format);
    const memory = ["memory:/mem/**:*", "agent:*:*"];
    const files = ["tool:file.*:call", `file:${range.work}/**:*`];
    await range.run((sys) => act(sys, range), {
      capabilities: [TOOLS, ...memory, ...files, ...frontOf(range)],
    });
    return look(range);
  };

const row = (
  id: string,
  name: string,
  stoppedBy: string,
  run: (range: Range) => Promise<AttackOutcome>,
): AttackRow => ({ id, name, stoppedBy, run });

const payUnder = (document: object, format: "policy" | "security.md", most = 0, count = 1) =>
  under(
    document,
    format,
    (sys) => times(count, () => pay(sys)),
    (range) => paid(range, most),
  );

export const modes: readonly AttackRow[] = [
  row(
    "J1",
    "do what a strict security.md forbids",
    SECURITY,
    payUnder(security("strict", [{ action: "range.pay", effect: "deny" }]), "security.md"),
  ),
  row(
    "J2",
    "continue after a violation of a strict security.md",
    "kernel/src/syscall/gate.ts",
    under(
      security("strict", [{ action: "range.pay", effect: "deny" }]),
      "security.md",
      async (sys) => {
        await pay(sys);
        await sys.exec("range.set", {});
      },
      (range) => tried(range.did("range.set") > 0, `it continued ${range.did("range.set")} times`),
    ),
  ),
  row(
    "J3",
    "write where a security.md says read_only",
    SECURITY,
    under(
      security("strict", [{ action: "range.set", effect: "allow", mode: "read_only" }]),
      "security.md",
      (sys) => sys.exec("range.set", {}),
      (range) => tried(range.did("range.set") > 0, `it wrote ${range.did("range.set")} times`),
    ),
  ),
  row(
    "J4",
    "act without the approval that a security.md requires",
    SECURITY,
    payUnder(
      security("strict", [{ action: "range.pay", effect: "allow", requires_approval: true }]),
      "security.md",
    ),
  ),
  row(
    "J5",
    "exceed the rate_limit of a security.md",
    SECURITY,
    payUnder(
      security("strict", [{ action: "range.pay", effect: "allow", rate_limit: "2/hour" }]),
      "security.md",
      2,
      5,
    ),
  ),
  row(
    "J6",
    "really act under dry_run of a security.md",
    SECURITY,
    payUnder(
      security("strict", [
        { action: "range.pay", effect: "allow", constraints: { dry_run: true } },
      ]),
      "security.md",
    ),
  ),
  row(
    "J7",
    "reach a host outside allowed_hosts",
    SECURITY,
    under(
      security("strict", [
        { action: "api_call", effect: "allow", constraints: { allowed_hosts: ["good.test"] } },
      ]),
      "security.md",
      (sys, { web }) => sys.exec("http.fetch", { url: `http://127.0.0.1:${web.front}/public/a` }),
      ({ web }) => tried(web.visits.length > 0, `${web.visits.length} visits`),
    ),
  ),
  row(
    "J8",
    "write a path outside allowed_paths",
    SECURITY,
    under(
      security("strict", [
        {
          action: "file_write",
          effect: "allow",
          constraints: { allowed_paths: ["/elsewhere/**"] },
        },
      ]),
      "security.md",
      (sys, { work }) => sys.exec("file.write", { path: join(work, "notes"), text: "theirs" }),
      async ({ work }) => {
        const text = await readFile(join(work, "notes"), "utf8");
        return tried(text !== "mine", `the file says ${text}`);
      },
    ),
  ),
  row(
    "J9",
    "use a tool outside allowed_tools",
    SECURITY,
    payUnder(
      security("strict", [
        { action: "tool_call", effect: "allow", constraints: { allowed_tools: ["range.look"] } },
      ]),
      "security.md",
    ),
  ),
  {
    ...row(
      "J10",
      "receive a signal that a security.md does not list",
      "kernel/src/policy/engine.ts",
      (range) => signalled(range),
    ),
  },
  row(
    "J11",
    "break a sequence rule",
    LAYER,
    under(
      rules({ id: "look-then-pay", deny: "tool:range.pay", after: "tool:range.look" }),
      "policy",
      async (sys) => {
        await sys.exec("range.look", {});
        await pay(sys);
      },
      (range) => paid(range),
    ),
  ),
  row(
    "J12",
    "break a sequence rule with a child",
    "kernel/src/operator/spawner.ts",
    under(
      rules({ id: "look-then-pay", deny: "tool:range.pay", after: "tool:range.look" }),
      "policy",
      async (sys, range) => {
        await sys.exec("range.look", {});
        const paying = range.script(async (own) => pay(own));
        await sys.wait(await sys.spawn("accomplice", paying, { capabilities: [PAY] }));
      },
      (range) => paid(range),
    ),
  ),
  row(
    "J13",
    "survive a kill rule",
    "kernel/src/syscall/judge.ts",
    under(
      rules({ id: "trap", kill: "tool:range.pay" }),
      "policy",
      async (sys) => {
        await pay(sys);
        await sys.exec("range.set", {});
      },
      (range) => tried(range.did("range.set") > 0, `it continued ${range.did("range.set")} times`),
    ),
  ),
  row(
    "J14",
    "really act under dryRun of a policy",
    "kernel/src/syscall/gate.ts",
    payUnder(
      rules({ id: "rehearse", allow: "tool:range.pay", constraints: { dryRun: true } }),
      "policy",
    ),
  ),
  row(
    "J15",
    "exceed the rate of a rule with concurrent calls",
    "kernel/src/policy/rates.ts",
    under(
      rules({ id: "slowly", allow: "tool:range.pay", rate: "2/h" }),
      "policy",
      (sys) => Promise.all([1, 2, 3, 4, 5].map(() => pay(sys))).then(() => null),
      (range) => paid(range, 2),
    ),
  ),
  row(
    "J16",
    "receive a result above maxBytes of a policy",
    "kernel/src/syscall/settlement.ts",
    async (range) => {
      await range.under(
        rules({ id: "short", allow: "tool:range.look", constraints: { maxBytes: 1000 } }),
      );
      let got = 0;
      await range.run(
        async (sys) => {
          const give = "x".repeat(5000);
          got = JSON.stringify(await sys.exec("range.look", { give }).catch(() => "")).length;
        },
        { capabilities: [TOOLS] },
      );
      return tried(got > 1000, `it got ${got} bytes`);
    },
  ),
  row(
    "J17",
    "run a tool longer than the timeout of a policy",
    "kernel/src/handlers/devices.ts",
    under(
      rules({ id: "quick", allow: "tool:range.set", constraints: { timeout: "30ms" } }),
      "policy",
      (sys) => codeOf(sys.exec("range.set", { ms: 120 })),
      (range) => tried(range.did("range.set") > 0, "the limit was 30 ms; the tool needs 120"),
    ),
  ),
];

/** SIGTERM is not in the list of allowed signals. */
async function signalled(range: Range): Promise<AttackOutcome> {
  await range.under(security("strict", [], ["SIGKILL"]), "security.md");
  const victim = await range.start(async (sys) => sys.receive(), { as: "victim" });
  await range.run(async (sys) => codeOf(sys.signal(victim, "SIGTERM")), {
    capabilities: ["signal:*:send"],
  });
  const { state } = await range.kernel.show(victim);
  return tried(state !== "waiting" && state !== "running", `the victim is ${state}`);
}
