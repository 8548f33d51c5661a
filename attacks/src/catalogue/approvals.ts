// F, second part: approvals. An approval is for one action, once, before its expiry, and from an authorised person.

import type { Sys } from "@aos/protocol";
import type { Range } from "../range.ts";
import { paid, PAY } from "./chains.ts";
import { codeOf, sleepMs, tried, type AttackRow } from "./row.ts";

const GATE = "kernel/src/syscall/gate.ts";
const CHANNELS = "kernel/src/approval/channels.ts";
const ANSWERING = "kernel/src/approval/answering.ts";

const ALLOWING = "kernel/src/syscall/permit-issuer.ts";

export const ASK = {
  version: 1,
  rules: [
    { id: "rest", allow: "*" },
    { id: "ask", ask: "tool:range.pay" },
  ],
};

export const pay = (sys: Sys, to: string) => codeOf(sys.exec("range.pay", { to }));
export const paidTo = (range: Range, to: string): number =>
  range.did("range.pay", (args) => (args as { to?: string }).to === to);

/** Requests one payment under an asking rule; the attack decides what the person does. */
async function askOnce(range: Range, rule: object = {}): Promise<string> {
  const [rest, ask] = ASK.rules;
  await range.under({ version: 1, rules: [rest, { ...ask, ...rule }] });
  range.person = "is silent";
  return range.start(async (sys) => pay(sys, "bob"), { capabilities: [PAY] });
}

export const approve = (range: Range, id: string, by: string, more: object = {}) =>
  codeOf(range.kernel.answer(id, { by, choice: "approve", ...more }));

export async function finish(range: Range, pid: string) {
  if (!range.isWeak("obedient-person")) range.person = "denies";
  else range.person = "approves";
  await range.end(pid);
}

export const approvals: readonly AttackRow[] = [
  {
    id: "F19",
    name: "use an approval twice",
    stoppedBy: ALLOWING,
    run: async (range) => {
      await range.under(ASK);
      range.person = "is silent";
      const pid = await range.start(async (sys) => [await pay(sys, "bob"), await pay(sys, "bob")], {
        capabilities: [PAY],
      });
      await approve(range, (await range.question()).id, "rita");
      await finish(range, pid);
      return paid(range, 1);
    },
  },
  {
    id: "F20",
    name: "use an approval for other arguments",
    stoppedBy: "kernel/src/syscall/action.ts",
    run: async (range) => {
      await range.under(ASK);
      range.person = "is silent";
      const pid = await range.start(
        async (sys) => {
          await pay(sys, "alice");
          await pay(sys, "bob");
        },
        { capabilities: [PAY] },
      );
      await approve(range, (await range.question()).id, "rita");
      await finish(range, pid);
      return tried(paidTo(range, "bob") > 0, `bob was paid ${paidTo(range, "bob")} times`);
    },
  },
  {
    id: "F21",
    name: "answer its own question",
    stoppedBy: CHANNELS,
    run: async (range) => {
      const pid = await askOnce(range);
      await approve(range, (await range.question()).id, pid);
      await finish(range, pid);
      return paid(range);
    },
  },
  {
    id: "F22",
    name: "count one person twice in a quorum",
    stoppedBy: ANSWERING,
    run: async (range) => {
      const pid = await askOnce(range, { channel: "range.pair", quorum: 2 });
      const { id } = await range.question();
      await approve(range, id, "ann");
      await approve(range, id, "ann", { text: "again" });
      await approve(range, id, "ann ");
      await sleepMs(30);
      await range.kernel.cancelQuestion(id, { by: "rita" }).catch(() => {});
      await finish(range, pid);
      return paid(range);
    },
  },
  {
    id: "F23",
    name: "be approved by a person outside the channel",
    stoppedBy: CHANNELS,
    run: async (range) => {
      const pid = await askOnce(range, { channel: "range.pair" });
      const { id } = await range.question();
      for (const by of ["eve", "mallory"]) await approve(range, id, by);
      await range.kernel.cancelQuestion(id, { by: "rita" }).catch(() => {});
      await finish(range, pid);
      return paid(range);
    },
  },
  {
    id: "F24",
    name: "be approved after the expiry",
    stoppedBy: "kernel/src/approval/questions.ts",
    run: async (range) => {
      const pid = await askOnce(range, { expires: "60ms" });
      const { id } = await range.question();
      await sleepMs(80);
      await approve(range, id, "rita");
      await finish(range, pid);
      return paid(range);
    },
  },
  {
    id: "F25",
    name: "be approved after its grant was revoked",
    stoppedBy: GATE,
    mode: { unloadAfterMs: 0 },
    run: async (range) => {
      await range.under(ASK);
      range.person = "is silent";
      const pid = await range.start(async (sys) => {
        await sys.receive();
        await pay(sys, "bob");
      });
      const { handle } = await range.kernel.grant({ pid }, { capabilities: [PAY], by: "rita" });
      await range.kernel.send(pid, "go");
      const { id } = await range.question();
      await range.kernel.revoke(handle, "rita");
      await approve(range, id, "rita");
      await finish(range, pid);
      return paid(range);
    },
  },
  {
    id: "F26",
    name: "be approved after a new policy denies it",
    stoppedBy: GATE,
    run: async (range) => {
      const pid = await askOnce(range);
      const { id } = await range.question();
      await range.under({
        version: 1,
        rules: [ASK.rules[0], { id: "no", deny: "tool:range.pay" }],
      });
      await approve(range, id, "rita");
      await finish(range, pid);
      return paid(range);
    },
  },
];
