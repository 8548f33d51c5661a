// Answers about power, policy, people and secrets.
//
// A1  The socket lets only its owner in: what is done here is done by that user. Only an answer to a
//     question may be somebody else's word, and then it says who brought it.

import { userInfo } from "node:os";
import type { Kernel } from "@aos/kernel";
import { SysError, type Json } from "@aos/protocol";
import { examine } from "../doctor/examine.ts";
import { runAttacks } from "../doctor/attack.ts";
import { present } from "../present.ts";
import { attenuate } from "./attenuate.ts";
import type { Answers } from "./answers.ts";
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

/** A1. */
const user = (): string => userInfo().username;

export const authorityAnswers: Pick<Answers, AuthorityName> = {
  questions: ({ kernel }) => kernel.questions(),
  async answer({ kernel }, { id, by, text, ...rest }) {
    const word = { by: by ?? user(), text: brought(text, by), ...rest };
    return kernel.answer(id, present(word) as Parameters<Kernel["answer"]>[1]);
  },
  cancelQuestion: ({ kernel }, { id, by, text }) =>
    kernel.cancelQuestion(id, { by: by ?? user(), ...present({ text: brought(text, by) }) }),

  async power({ kernel }, of) {
    return kernel.power(await holderOf(kernel, of));
  },
  async grant({ kernel }, { pid, agent, tenant, expiresInMs, ...gift }) {
    const to = await holderOf(kernel, { pid, agent, tenant });
    const expiresAt = momentIn(expiresInMs);
    return kernel.grant(to, { by: user(), ...present({ ...gift, expiresAt }) });
  },
  revoke: ({ kernel }, { id }) => kernel.revoke(id, user()),
  async check({ kernel }, { pid, call, args = {} }) {
    return kernel.check(await findProcess(kernel, pid), call, args);
  },
  async why({ kernel }, { pid, seq }) {
    return kernel.why(await findProcess(kernel, pid), seq);
  },
  async suggest({ kernel }, { widen, ...of }) {
    return kernel.suggest(await holderOf(kernel, of), present({ widen }));
  },

  mintToken: ({ kernel }, { capabilities, expiresInMs, ...wish }) =>
    kernel.mintToken({
      by: user(),
      capabilities,
      ...present({ ...wish, expiresAt: momentIn(expiresInMs) }),
    }),
  verifyToken: ({ kernel }, { token }) => kernel.verifyToken(token),
  async attenuateToken(_, { expiresInMs, ...wish }) {
    return { token: attenuate({ ...wish, expiresAt: momentIn(expiresInMs) }) };
  },

  policy: ({ kernel }) => kernel.policy(),
  checkPolicy,
  testPolicy,
  reloadPolicy: ({ policy }) => policy.reload(user()),
  backtestPolicy,

  secrets: ({ kernel }) => kernel.secrets(),
  async setSecret({ kernel }, { name, value, bindings, tenant }) {
    await kernel.setSecret(
      { name, value, bindings: bindings as Json[], ...present({ tenant }) },
      user(),
    );
    return { name };
  },
  async removeSecret({ kernel }, { name, tenant }) {
    await kernel.removeSecret(name, { by: user(), ...present({ tenant }) });
    return { name };
  },

  ledger: ({ kernel }, args) => kernel.ledger(present(args)),

  doctor: (desk) => examine(desk),
  attack: (desk, { only }, { signal }) => runAttacks(desk, { only, signal }),
};

/** A1: somebody's word that another brought. */
const brought = (text: string | undefined, by: string | undefined): string | undefined =>
  by === undefined || by === user()
    ? text
    : `${text === undefined ? "" : `${text} `}(brought by ${user()})`;

const momentIn = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Date.now() + ms;

interface Named {
  readonly pid?: string | undefined;
  readonly agent?: string | undefined;
  readonly tenant?: string | undefined;
}

async function holderOf(kernel: Kernel, { pid, agent, tenant }: Named) {
  if ((pid === undefined) === (agent === undefined)) {
    throw new SysError("EINVAL", "give a process or the name of an agent, one of the two");
  }
  return pid === undefined
    ? { agent: agent!, ...present({ tenant }) }
    : { pid: await findProcess(kernel, pid) };
}
