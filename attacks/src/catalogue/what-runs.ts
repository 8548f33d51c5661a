// F, fourth part: an approval is for what will run and covers what the question showed.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sys } from "@aos/protocol";
import type { Range } from "../range.ts";
import { finish, approve } from "./approvals.ts";
import { codeOf, tried, type AttackRow } from "./row.ts";

const ALLOWING = "kernel/src/syscall/permit-issuer.ts";
const COVERAGE = "kernel/src/syscall/coverage.ts";
const JUDGE = "kernel/src/syscall/judge.ts";
const RUN = "tool:range.run:call";
const REACH = "tool:range.reach:call";

const rule = (tool: string) => ({
  version: 1,
  rules: [
    { id: "rest", allow: "*" },
    { id: "ask", ask: `tool:${tool}` },
  ],
});

const runScript = (sys: Sys) => codeOf(sys.exec("range.run", { script: "clean.sh" }));

const write = (range: Range, text: string) => writeFileSync(join(range.work, "clean.sh"), text);

/** How often the script ran with this content. */
const ran = (range: Range, text: string): number =>
  range.did("range.run", (args) => (args as { text?: string }).text === text);

const inWork = (range: Range) => ({
  capabilities: [RUN],
  workspace: { folder: range.work, isCow: false },
});

export const whatRuns: readonly AttackRow[] = [
  {
    id: "F60",
    name: "swap a script between question and approval",
    stoppedBy: ALLOWING,
    run: async (range) => {
      await range.under(rule("range.run"));
      range.person = "is silent";
      write(range, "harmless");
      const pid = await range.start(runScript, inWork(range));
      const { id } = await range.question();
      write(range, "harmful");
      await approve(range, id, "rita");
      await finish(range, pid);
      return tried(
        ran(range, "harmful") > 0,
        `the other script ran ${ran(range, "harmful")} times`,
      );
    },
  },
  {
    id: "F61",
    name: 'use "always" for another script of the same name',
    stoppedBy: JUDGE,
    run: async (range) => {
      await range.under(rule("range.run"));
      range.person = "is silent";
      write(range, "harmless");
      const first = await range.start(runScript, inWork(range));
      await approve(range, (await range.question()).id, "rita", { always: true });
      await finish(range, first);
      write(range, "harmful");
      await range.run(runScript, inWork(range));
      return tried(
        ran(range, "harmful") > 0,
        `the other script ran ${ran(range, "harmful")} times`,
      );
    },
  },
  {
    id: "F62",
    name: "use an approval for a copy on the real folder",
    stoppedBy: "kernel/src/approval/batch.ts",
    run: async (range) => {
      await range.under(rule("range.run"));
      range.person = "is silent";
      write(range, "harmful");
      const place = inWork(range);
      const copy = { ...place, workspace: { ...place.workspace, isCow: true } };
      const shown = await range.start(runScript, copy);
      const { id } = await range.question();
      const real = await range.start(runScript, place);
      await range.until(async () => {
        const open = await range.kernel.questions();
        return open.reduce((all, { count }) => all + count, 0) === 2;
      }, "two calls that wait");
      await approve(range, id, "rita");
      await finish(range, shown);
      await finish(range, real);
      return tried(ran(range, "harmful") > 1, `it ran ${ran(range, "harmful")} times`);
    },
  },
  {
    id: "F63",
    name: "reach a host that the question did not show",
    stoppedBy: COVERAGE,
    run: async (range) => {
      await range.under(rule("range.reach"));
      range.person = "is silent";
      const asked = { kind: "http", resource: "shown.example:443/", verb: "post" };
      const next = { kind: "http", resource: "hidden.example:443/", verb: "post" };
      const pid = await range.start((sys) => codeOf(sys.exec("range.reach", { asked, next })), {
        capabilities: [REACH, "http:shown.example:post", "http:hidden.example:post"],
      });
      await approve(range, (await range.question()).id, "rita");
      await finish(range, pid);
      return tried(range.did("range.reach") > 0, `it reached it ${range.did("range.reach")} times`);
    },
  },
];
