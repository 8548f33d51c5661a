// The kernel's methods about power: questions, grants and tokens. Each thing that is
// done is in the ledger, with who did it.

import {
  DEFAULT_TENANT,
  isEnded,
  SysError,
  type AnswerReport,
  type Json,
  type PowerReport,
  type Question,
  type QuestionFilter,
  type RevokeReport,
  type SuggestReport,
} from "@aos/protocol";
import type { GrantRequest, Holder, TokenRequest } from "../api.ts";
import { aboveOf } from "../audit/proof.ts";
import { countQueue, openQueue } from "../inspection/approval-queue.ts";
import { suggestFor } from "../inspection/least-privilege.ts";
import { powerOfAgent, powerOfProcess } from "../inspection/power.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";
import type { EnterInLedger } from "./ledger-methods.ts";
import type { OpenKernel } from "./open-kernel.ts";

export interface QuestionMethods {
  /** A page of what waits for a person, by id (QUESTION-PAGE-1). */
  questions(filter?: QuestionFilter): Promise<Question[]>;
  /** How many there are in all. */
  countQuestions(): Promise<number>;
  /** A person's word. `always` gives, beside a yes, what `about.cover` of the question says. */
  answer(
    id: string,
    answer: { by: string; choice: string; text?: string; always?: boolean },
  ): Promise<AnswerReport>;
  /** Withdraws a question and all identical ones: the waiting calls are refused. */
  cancelQuestion(
    id: string,
    options: { by: string; text?: string },
  ): Promise<{ id: string; alsoWithdrawn: string[] }>;
}

export const questionReach = {
  questions: { scope: 0, processes: ["pid"] },
  countQuestions: "all",
  answer: "own",
  cancelQuestion: "own",
} as const satisfies Record<keyof QuestionMethods, MethodReach>;

export function questionMethods(parts: KernelParts, open: OpenKernel): QuestionMethods {
  const { store, questions, platform, tenants, directory, answering } = parts;
  return {
    async questions({ tenant, pid, ...request } = {}) {
      open.mustBeOpen();
      const of = {
        tenant: tenant === undefined ? undefined : await tenants.keyOf(tenant),
        below: pid === undefined ? undefined : (await directory.find(pid)).key,
      };
      return openQueue(store, questions.channels, platform.now(), { ...request, ...of });
    },
    async countQuestions() {
      open.mustBeOpen();
      return countQueue(store, platform.now());
    },
    async answer(id, word) {
      open.mustBeOpen();
      return answering.answer(id, word);
    },
    async cancelQuestion(id, word) {
      open.mustBeOpen();
      return { id, alsoWithdrawn: await answering.cancel(id, word) };
    },
  };
}

export interface PowerMethods {
  /** What a process, or every process of an agent, holds. */
  power(of: Holder): Promise<PowerReport>;
  /** Gives power to a process, or to every process of an agent from now on. */
  grant(to: Holder, newGrant: GrantRequest): Promise<{ handle: string; block: string }>;
  /** By a handle, the id of a block, or the revocation id of a token. Nothing that stood on it runs when it resolves. */
  revoke(id: string, by: string, of?: { tenant?: string }): Promise<RevokeReport>;
  /** The smallest capabilities that would have allowed what was really used. */
  suggest(of: Holder, options?: { widen?: "none" | "folder" }): Promise<SuggestReport>;
  /** A token with capabilities: for this kernel only, or signed and checked with our public key. */
  mintToken(request: TokenRequest): Promise<{ token: string; ids: readonly string[] }>;
  verifyToken(token: string): Promise<Json>;
}

export const powerReach = {
  power: { scope: 0, processes: ["pid"] },
  grant: { scope: 0, processes: ["pid"] },
  revoke: "own",
  suggest: { scope: 0, processes: ["pid"] },
  mintToken: "all",
  verifyToken: "all",
} as const satisfies Record<keyof PowerMethods, MethodReach>;

export function powerMethods(
  parts: KernelParts,
  open: OpenKernel,
  enter: EnterInLedger,
): PowerMethods {
  const { journal, directory, tenants, tokens } = parts;
  return {
    async power(of) {
      open.mustBeOpen();
      await journal.durable();
      return "pid" in of
        ? powerOfProcess(parts, await directory.find(of.pid))
        : powerOfAgent(parts, of.agent, of.tenant ?? DEFAULT_TENANT);
    },
    async grant(to, given) {
      open.mustBeOpen();
      return grantFromOperator(parts, to, given);
    },
    async revoke(id, by, of = {}) {
      open.mustBeOpen();
      const done = await revokeByOperator(parts, id, by, of);
      await enter("revoke", by, { id, stopped: done.stopped });
      return done;
    },
    async suggest(of, options = {}) {
      open.mustBeOpen();
      await journal.durable();
      if ("pid" in of) return suggestFor(parts, { row: await directory.find(of.pid) }, options);
      const tenant = await tenants.keyOf(of.tenant ?? DEFAULT_TENANT);
      return suggestFor(parts, { agent: of.agent, tenant }, options);
    },
    async mintToken(request) {
      open.mustBeOpen();
      return tokens.mint(request);
    },
    async verifyToken(token) {
      open.mustBeOpen();
      return tokens.verify(token);
    },
  };
}

async function grantFromOperator(
  { tenants, directory, grants, tokens, ledger, standing }: KernelParts,
  to: Holder,
  grant: GrantRequest,
): Promise<{ handle: string; block: string }> {
  const row = "pid" in to ? await directory.find(to.pid) : null;
  if (row !== null && isEnded(row.state)) throw new SysError("ESTATE", `${row.pid} has ended`);
  const tenant =
    row?.tenant ?? (await tenants.keyOf(("tenant" in to && to.tenant) || DEFAULT_TENANT));
  if ((grant.capabilities === undefined) === (grant.token === undefined))
    throw new SysError("EINVAL", "either capabilities or a token is needed");
  const agent = row?.agent ?? (to as { agent: string }).agent;
  const chain = grant.token === undefined ? [] : await tokens.chain(grant.token, row?.pid ?? agent);
  const request = {
    ...grant,
    tenant,
    to: row,
    agent,
    capabilities: grant.capabilities ?? chain.at(-1)!.capabilities,
    above: chain,
  };
  // One transaction: a grant that is not in the ledger counts for nothing.
  const { handle, blocks } = await grants.give(request, ({ handle, blocks, expiresAt }) => {
    const detail = {
      to: row?.pid ?? `agent:${agent}`,
      handle,
      capabilities: [...blocks.at(-1)!.capabilities],
      expiresAt,
      ...(grant.reason === undefined ? {} : { reason: grant.reason }),
      ...(chain.length === 0 ? {} : { above: aboveOf(blocks) }),
    };
    ledger.add({ what: "grant", by: grant.by, detail });
  });
  if (row === null) await standing.spread(tenant, agent);
  return { handle, block: blocks.at(-1)!.id };
}

/** By a handle, the id of a block, or the revocation id of a token. */
async function revokeByOperator(
  { store, grants, journal, directory, table, platform }: KernelParts,
  id: string,
  by: string,
  of: { tenant?: string },
): Promise<RevokeReport> {
  await journal.durable();
  let stopped = 0;
  const revoked: string[] = [];
  const only = of.tenant === undefined ? undefined : ((await store.findTenant(of.tenant)) ?? -1);
  const isTheirs = (row: { tenant: number }) => only === undefined || row.tenant === only;
  // A token is good for every tenant, and so is its end.
  const mayEnd = only === undefined || !/^(tok_|[0-9a-f]{16})/.test(id);
  const isToken = mayEnd && /^[0-9a-f]{16,128}$/.test(id);
  const named = isToken ? `tok_${id}` : id;
  for (const row of mayEnd ? (await store.holdingsBy(named)).filter(isTheirs) : []) {
    const isAll = row.handle === id || row.blocks.at(-1)!.id === id;
    stopped += isAll
      ? await grants.revoke(row, by)
      : await grants.cutOff(named, row.blocks, row.tenant, by);
    revoked.push(row.handle);
  }
  const born = /^(agt_[0-9A-Za-z]+)\.\d+$/.exec(id);
  if (born !== null) {
    const row = await directory.find(born[1]!);
    if (!isTheirs(row)) throw new SysError("ENOENT", `unknown process ${row.pid}`);
    if (!row.spec.blocks.some((block) => block.id === id))
      throw new SysError("ENOENT", `${row.pid} did not start with ${id}`);
    stopped += await grants.cutOff(id, row.spec.blocks, row.tenant, by);
    const process = table.get(row.key);
    if (process !== undefined) grants.recordRevocation(process, id, by, []);
    revoked.push(id);
  }
  if (isToken) {
    journal.write({ op: "revoked.add", id, tenant: 0, at: platform.now(), by });
    revoked.push(id);
  }
  if (revoked.length === 0)
    throw new SysError("ENOENT", `no grant, block or token has the id ${id}`, {
      hint: "`aos caps show PID` lists the handles and blocks",
    });
  return { revoked, stopped };
}
