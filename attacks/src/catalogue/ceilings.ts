// G, fourth part: the ceiling of a tenant. No source of power exceeds what the operator allows the tenant to hold.

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

/** Waits for a grant and then tries to use it. */
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
    name: "read a machine file as a tenant, by its own manifest",
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
    name: "call a tool that the tenant's ceiling does not name",
    stoppedBy: BLOCKS,
    run: async (range) => {
      await range.run(pays, { tenant: BELOW, capabilities: ALL });
      return paid(range);
    },
  },
  {
    id: "G31",
    name: "exceed the tenant's ceiling with a child",
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
    name: "exceed the tenant's ceiling with a grant",
    stoppedBy: BLOCKS,
    run: given((range, pid) => range.kernel.grant({ pid }, { capabilities: [PAY], by: "rita" })),
  },
  {
    id: "G33",
    name: "exceed the tenant's ceiling with a token",
    stoppedBy: BLOCKS,
    run: given(async (range, pid) => {
      const { token } = await range.kernel.mintToken({ capabilities: [PAY], by: "rita" });
      await range.kernel.grant({ pid }, { token, by: "rita" });
    }),
  },
  {
    id: "G34",
    name: "lose the tenant's ceiling by unloading",
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
