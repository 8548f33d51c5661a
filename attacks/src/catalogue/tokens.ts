// E, third part: capability tokens that are changed or kept outside.

import { createKernel } from "@aos/daemon";
import { attenuateMacToken, parseCapability } from "@aos/kernel";
import type { Range } from "../range.ts";
import { paid, PAY } from "./chains.ts";
import { BY, startWaiting, tell } from "./revocation.ts";
import { codeOf, sleepMs, tried, type AttackRow, type AttackOutcome } from "./row.ts";

const TOKEN = "kernel/src/token/token.ts";
const MAC = "kernel/src/token/mac-token.ts";
const SIGNED = "kernel/src/token/signed-token.ts";
/** Presents a token for a process, which then tries to use it. */
async function show(range: Range, token: string, tool = "range.pay"): Promise<AttackOutcome> {
  const pid = await startWaiting(range, tool);
  const code = await codeOf(range.kernel.grant({ pid }, { token, by: BY }));
  await tell(range, pid);
  return tried(range.did(tool) > 0, `the token: ${code}`);
}

const mint = (range: Range, more: object = {}, capabilities = [PAY]) =>
  range.kernel.mintToken({ capabilities, by: BY, ...more });

/** The token with one word of a block replaced. */
const reworded = (token: string, from: string, to: string): string =>
  token
    .split(".")
    .map((part) => {
      const text = Buffer.from(part, "base64url").toString();
      return text.includes(from) ? Buffer.from(text.replace(from, to)).toString("base64url") : part;
    })
    .join(".");

export const tokens: readonly AttackRow[] = [
  {
    id: "E23",
    name: "present a changed token",
    stoppedBy: MAC,
    run: async (range) => {
      const { token } = await mint(range, {}, ["tool:range.look:call"]);
      return show(range, reworded(token, "range.look", "range.wipe"), "range.wipe");
    },
  },
  {
    id: "E24",
    name: "present a token without its narrowing block",
    stoppedBy: MAC,
    run: async (range) => {
      const { token } = await mint(range);
      const narrow = [parseCapability(`${PAY}{pin.to:"alice"}`)];
      const narrowed = attenuateMacToken(token, narrow, { id: "narrowed" }).split(".");
      return show(range, [...narrowed.slice(0, 2), narrowed.at(-1)].join("."));
    },
  },
  {
    id: "E25",
    name: "widen a token by appending a block",
    stoppedBy: "kernel/src/capability/chain.ts",
    run: async (range) => {
      const { token } = await mint(range, {}, ["tool:range.look:call"]);
      return show(range, attenuateMacToken(token, [parseCapability(PAY)], { id: "widened" }));
    },
  },
  {
    id: "E26",
    name: "present a revoked token",
    stoppedBy: TOKEN,
    run: async (range) => {
      const { token, ids } = await mint(range);
      await range.kernel.revoke(ids[0]!, BY);
      return show(range, token);
    },
  },
  {
    id: "E27",
    name: "use a grant of a token that was revoked afterwards",
    stoppedBy: "kernel/src/operator/authority-methods.ts",
    run: async (range) => {
      const pid = await startWaiting(range);
      const { token, ids } = await mint(range);
      await range.kernel.grant({ pid }, { token, by: BY });
      await range.kernel.revoke(ids[0]!, BY);
      await tell(range, pid);
      return paid(range);
    },
  },
  {
    id: "E28",
    name: "present a token of another holder",
    stoppedBy: TOKEN,
    run: async (range) => show(range, (await mint(range, { holder: "victim" })).token),
  },
  {
    id: "E29",
    name: "present an expired token",
    stoppedBy: TOKEN,
    run: async (range) => {
      const { token } = await mint(range, { expiresAt: Date.now() + 30 });
      await sleepMs(50);
      return show(range, token);
    },
  },
  {
    id: "E30",
    name: "present a token that another kernel signed under this issuer's name",
    stoppedBy: SIGNED,
    run: async (range) => {
      const stranger = await createKernel();
      const request = { capabilities: [PAY], signed: true, by: BY };
      const { token } = await stranger.mintToken(request);
      await stranger.close();
      return show(range, token);
    },
  },
];
