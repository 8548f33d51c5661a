// G, fourth part: the ceiling of a tenant. Whatever way power comes, it reaches no further than what the
// operator lets anybody of the tenant hold.

import type { Sys } from "@aos/protocol";
import { BELOW, type Range } from "../range.ts";
import { paid, PAY } from "./chains.ts";
import { codeOf, gotOf, tried, type AttackRow } from "./row.ts";

const BLOCKS = "kernel/src/process/blocks.ts";
const ALL = [
  PAY,
  "tool:*:call",
  "file:/**:read,write,list",
  "http:*:get",
  "agent:*:spawn,wait",
  "message:*:receive",
];

const pays = async (sys: Sys): Promise<void> => void (await codeOf(sys.exec("range.pay", {})));

/** Waits to be given more, and then tries. */
const paysWhenTold = async (sys: Sys): Promise<void> => {
  await sys.receive();
  await pays(sys);
};

const given = (give: (range: Range, pid: string) => Promise<unknown>) => async (range: Range) => {
  const pid = await range.start(paysWhenTold, {
    tenant: BELOW,
    capabilities: ["message:*:receive"],
  });
  await give(range, pid);
  await range.kernel.send(pid, "go");
  await range.end(pid);
  return paid(range);
};

export const ceilings: readonly AttackRow[] = [
  {
    id: "G29",
    name: "read a file of the machine as a tenant, by what its own manifest says",
    stoppedBy: BLOCKS,
    run: async (range) => {
      const path = `${range.vault}/key`;
      let got = "";
      await range.run(
        async (sys) => void (got = JSON.stringify(await gotOf(sys.exec("file.read", { path })))),
        { tenant: BELOW, capabilities: [...ALL, `file:${range.vault}/**:read`] },
      );
      return tried(got.includes(range.treasure), got.slice(0, 100));
    },
  },
  {
    id: "G30",
    name: "call a tool as a tenant that the operator has not named for it",
    stoppedBy: BLOCKS,
    run: async (range) => {
      await range.run(pays, { tenant: BELOW, capabilities: ALL });
      return paid(range);
    },
  },
  {
    id: "G31",
    name: "have a child do what the tenant may not",
    stoppedBy: BLOCKS,
    run: async (range) => {
      const child = range.script(pays);
      await range.run(
        async (sys) => {
          const pid = await sys.spawn("accomplice", child, { capabilities: [PAY] });
          await sys.wait(pid);
        },
        { tenant: BELOW, capabilities: ALL },
      );
      return paid(range);
    },
  },
  {
    id: "G32",
    name: "be granted past the ceiling of its tenant",
    stoppedBy: BLOCKS,
    run: given((range, pid) => range.kernel.grant({ pid }, { capabilities: [PAY], by: "rita" })),
  },
  {
    id: "G33",
    name: "show a token that reaches past the ceiling of its tenant",
    stoppedBy: BLOCKS,
    run: given(async (range, pid) => {
      const { token } = await range.kernel.mintToken({ capabilities: [PAY], by: "rita" });
      await range.kernel.grant({ pid }, { token, by: "rita" });
    }),
  },
  {
    id: "G34",
    name: "be loaded again without the ceiling of its tenant",
    stoppedBy: BLOCKS,
    mode: { isKept: true },
    run: async (range) => {
      const how = { tenant: BELOW, capabilities: ALL };
      const pid = await range.start(paysWhenTold, how);
      await range.restart();
      await range.kernel.send(pid, "go");
      await range.end(pid);
      return paid(range);
    },
  },
];
