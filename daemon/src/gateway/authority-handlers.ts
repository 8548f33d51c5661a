// Answers about power, policy, people and secrets.
//
// AUTHORITY-HANDLERS-1  What is done here is done by the caller. Only an answer to a question may be
//     somebody else's word: the owner of the socket may bring it, and then it says who did. Over the
//     network everybody speaks for themselves.

import type { Kernel } from "@aos/kernel";
import { SysError, type Json } from "@aos/protocol";
import { omitUndefined } from "../omit-undefined.ts";
import { attenuateToken } from "./attenuate.ts";
import type { OperationHandlers } from "./handlers.ts";
import type { Caller } from "./caller.ts";
import { findProcess } from "./find-process.ts";
import { backtestPolicy, checkPolicy, testPolicy } from "./policy-files.ts";

type AuthorityName =
  | "questions"
  | "answer"
  | "cancelQuestion"
  | "power"
  | "grant"
  | "revoke"
  | "check"
  | "why"
  | "suggest"
  | "mintToken"
  | "verifyToken"
  | "attenuateToken"
  | "policy"
  | "checkPolicy"
  | "testPolicy"
  | "reloadPolicy"
  | "backtestPolicy"
  | "secrets"
  | "setSecret"
  | "removeSecret"
  | "ledger"
  | "doctor"
  | "attack";

export const authorityHandlers: Pick<OperationHandlers, AuthorityName> = {
  async questions({ kernel }, { pid, ...filter }) {
    const found = pid === undefined ? undefined : await findProcess(kernel, pid);
    return kernel.questions({ ...filter, pid: found });
  },
  async answer({ kernel }, { id, by, text, ...rest }, { caller }) {
    const word = { ...spoken(caller, by, text), ...rest };
    return kernel.answer(id, omitUndefined(word) as Parameters<Kernel["answer"]>[1]);
  },
  async cancelQuestion({ kernel }, { id, by, text }, { caller }) {
    return kernel.cancelQuestion(id, spoken(caller, by, text));
  },

  async power({ kernel }, of) {
    return kernel.power(await holderOf(kernel, of));
  },
  async grant({ kernel }, { pid, agent, tenant, expiresInMs, ...gift }, { caller }) {
    const to = await holderOf(kernel, { pid, agent, tenant });
    const expiresAt = momentIn(expiresInMs);
    return kernel.grant(to, { by: caller.name, ...omitUndefined({ ...gift, expiresAt }) });
  },
  revoke: ({ kernel }, { id }, { caller }) => kernel.revoke(id, caller.name),
  async check({ kernel }, { pid, call, args = {} }) {
    return kernel.check(await findProcess(kernel, pid), call, args);
  },
  async why({ kernel }, { pid, seq }) {
    return kernel.why(await findProcess(kernel, pid), seq);
  },
  async suggest({ kernel }, { widen, ...of }) {
    return kernel.suggest(await holderOf(kernel, of), omitUndefined({ widen }));
  },

  mintToken: ({ kernel }, { capabilities, expiresInMs, ...wish }, { caller }) =>
    kernel.mintToken({
      by: caller.name,
      capabilities,
      ...omitUndefined({ ...wish, expiresAt: momentIn(expiresInMs) }),
    }),
  verifyToken: ({ kernel }, { token }) => kernel.verifyToken(token),
  async attenuateToken(_, { expiresInMs, ...wish }) {
    return { token: attenuateToken({ ...wish, expiresAt: momentIn(expiresInMs) }) };
  },

  policy: ({ kernel }) => kernel.policy(),
  checkPolicy,
  testPolicy,
  reloadPolicy: ({ policy }, _, { caller }) => policy.reload(caller.name),
  backtestPolicy,

  secrets: ({ kernel }) => kernel.secrets(),
  async setSecret({ kernel }, { name, value, bindings, tenant }, { caller }) {
    await kernel.setSecret(
      { name, value, bindings: bindings as Json[], ...omitUndefined({ tenant }) },
      caller.name,
    );
    return { name };
  },
  async removeSecret({ kernel }, { name, tenant }, { caller }) {
    await kernel.removeSecret(name, { by: caller.name, ...omitUndefined({ tenant }) });
    return { name };
  },

  ledger: ({ kernel }, args) => kernel.ledger(omitUndefined(args)),

  // Loaded at need: a daemon that is not examined does not have to know the attacks.
  doctor: async (gateway) => (await import("../doctor/examine.ts")).runDoctor(gateway),
  attack: async (gateway, { only }, { signal }) =>
    (await import("../doctor/run-attacks.ts")).runAttacks(gateway, { only, signal }),
};

/** AUTHORITY-HANDLERS-1. */
function spoken(caller: Caller, by: string | undefined, text: string | undefined) {
  if (by === undefined || by === caller.name)
    return { by: caller.name, ...omitUndefined({ text }) };
  if (caller.door !== "socket") {
    throw new SysError("EACCES", `${caller.name} may not answer for ${by}`, {
      hint: "over HTTP every person answers with their own token",
    });
  }
  const brought = `${text === undefined ? "" : `${text} `}(recorded by ${caller.name})`;
  return { by, text: brought };
}

const momentIn = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Date.now() + ms;

interface Named {
  readonly pid?: string | undefined;
  readonly agent?: string | undefined;
  readonly tenant?: string | undefined;
}

async function holderOf(kernel: Kernel, { pid, agent, tenant }: Named) {
  if ((pid === undefined) === (agent === undefined)) {
    throw new SysError("EINVAL", "pass either a process or the name of an agent");
  }
  return pid === undefined
    ? { agent: agent!, ...omitUndefined({ tenant }) }
    : { pid: await findProcess(kernel, pid) };
}
