// Handlers of operations about power: who holds what, what the gate would say, and tokens that carry power.

import type { Holder } from "@aos/kernel";
import { SysError, type authorityOperations } from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import { attenuateToken } from "../attenuate.ts";
import type { HandlersOf } from "./handler.ts";

export const authorityHandlers: HandlersOf<typeof authorityOperations> = {
  async power({ kernel }, of) {
    return kernel.power(holderOf(of));
  },
  async grant({ kernel }, { pid, agent, tenant, expiresInMs, ...gift }, { caller }) {
    const to = holderOf({ pid, agent, tenant });
    const expiresAt = momentIn(expiresInMs);
    return kernel.grant(to, { by: caller.name, ...omitUndefined({ ...gift, expiresAt }) });
  },
  revoke: ({ kernel }, { id }, { caller }) => kernel.revoke(id, caller.name),
  async check({ kernel }, { pid, call, args = {} }) {
    return kernel.check(pid, call, args);
  },
  async why({ kernel }, { pid, seq }) {
    return kernel.why(pid, seq);
  },
  async suggest({ kernel }, { widen, ...of }) {
    return kernel.suggest(holderOf(of), omitUndefined({ widen }));
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
};

const momentIn = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Date.now() + ms;

interface Named {
  readonly pid?: string | undefined;
  readonly agent?: string | undefined;
  readonly tenant?: string | undefined;
}

function holderOf({ pid, agent, tenant }: Named): Holder {
  if ((pid === undefined) === (agent === undefined)) {
    throw new SysError("EINVAL", "pass either a process or the name of an agent");
  }
  return pid === undefined ? { agent: agent!, ...omitUndefined({ tenant }) } : { pid };
}
