// Authority: what an operator can do about power, policy and secrets. Each thing that is done is in the
// ledger, with who did it.

import {
  DEFAULT_TENANT,
  isEnded,
  SysError,
  type BacktestReport,
  type CheckReport,
  type Json,
  type LedgerReport,
  type PolicyReport,
  type PowerReport,
  type QuestionFilter,
  type RevokeReport,
  type SecretReport,
  type SignalName,
  type SuggestReport,
} from "@aos/protocol";
import type {
  GrantRequest,
  Holder,
  KernelApi,
  PolicySource,
  Question,
  SecretRequest,
  TokenRequest,
} from "../api.ts";
import { countQueue, openQueue } from "../inspection/approval-queue.ts";
import { z } from "zod";
import { policyTestsSchema, runPolicyTests } from "../inspection/policy-tests.ts";
import type { Binding } from "../secret/index.ts";
import type { ProcessRow } from "../store/rows.ts";
import { describeTool } from "../syscall/action.ts";
import { policyForPerson } from "./policy-word.ts";
import { backtest } from "../inspection/backtest.ts";
import { causesOf, momentOf } from "../inspection/causes.ts";
import { suggestFor } from "../inspection/least-privilege.ts";
import type { KernelParts } from "./kernel-parts.ts";
import { aboveOf } from "../audit/proof.ts";
import { powerOfAgent, powerOfProcess, whyOf } from "../inspection/power.ts";
import { processForQuestions } from "../inspection/inspected-process.ts";

/** A tool that a test of a policy names is one that everyone has, called from nowhere in particular. */
const EVERYONE = { tenant: DEFAULT_TENANT, folders: [] };
const NOWHERE = { workspace: { isCow: false } };

export abstract class Authority {
  readonly #parts: KernelParts;

  constructor(parts: KernelParts) {
    this.#parts = parts;
  }

  /** Throws when nothing can be done any more. */
  protected abstract mustBeOpen(): void;

  async questions({ tenant, pid, ...request }: QuestionFilter = {}): Promise<Question[]> {
    this.mustBeOpen();
    const { store, questions, platform, tenants, directory } = this.#parts;
    const of = {
      tenant: tenant === undefined ? undefined : await tenants.keyOf(tenant),
      below: pid === undefined ? undefined : (await directory.find(pid)).key,
    };
    return openQueue(store, questions.channels, platform.now(), { ...request, ...of });
  }

  async countQuestions(): Promise<number> {
    this.mustBeOpen();
    return countQueue(this.#parts.store, this.#parts.platform.now());
  }

  async answer(id: string, word: Parameters<KernelApi["answer"]>[1]) {
    this.mustBeOpen();
    return this.#parts.answering.answer(id, word);
  }

  async cancelQuestion(id: string, word: Parameters<KernelApi["cancelQuestion"]>[1]) {
    this.mustBeOpen();
    return { id, alsoWithdrawn: await this.#parts.answering.cancel(id, word) };
  }

  async power(of: Holder): Promise<PowerReport> {
    this.mustBeOpen();
    await this.#parts.journal.durable();
    return "pid" in of
      ? powerOfProcess(this.#parts, await this.#parts.directory.find(of.pid))
      : powerOfAgent(this.#parts, of.agent, of.tenant ?? DEFAULT_TENANT);
  }

  async grant(to: Holder, grant: GrantRequest): Promise<{ handle: string; block: string }> {
    this.mustBeOpen();
    const { tenants, directory, grants, tokens, ledger } = this.#parts;
    const row = "pid" in to ? await directory.find(to.pid) : null;
    if (row !== null && isEnded(row.state)) throw new SysError("ESTATE", `${row.pid} has ended`);
    const tenant =
      row?.tenant ?? (await tenants.keyOf(("tenant" in to && to.tenant) || DEFAULT_TENANT));
    if ((grant.capabilities === undefined) === (grant.token === undefined))
      throw new SysError("EINVAL", "either capabilities or a token is needed");
    const agent = row?.agent ?? (to as { agent: string }).agent;
    const chain =
      grant.token === undefined ? [] : await tokens.chain(grant.token, row?.pid ?? agent);
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
    if (row === null) await this.#parts.standing.spread(tenant, agent);
    return { handle, block: blocks.at(-1)!.id };
  }

  /** By a handle, the id of a block, or the revocation id of a token. */
  async revoke(id: string, by: string, of: { tenant?: string } = {}): Promise<RevokeReport> {
    this.mustBeOpen();
    const { store, grants, journal, directory } = this.#parts;
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
      const process = this.#parts.table.get(row.key);
      if (process !== undefined) grants.recordRevocation(process, id, by, []);
      revoked.push(id);
    }
    if (isToken) {
      journal.write({ op: "revoked.add", id, tenant: 0, at: this.#parts.platform.now(), by });
      revoked.push(id);
    }
    if (revoked.length === 0)
      throw new SysError("ENOENT", `no grant, block or token has the id ${id}`, {
        hint: "`aos caps show PID` lists the handles and blocks",
      });
    await this.enter("revoke", by, { id, stopped });
    return { revoked, stopped };
  }

  async check(pid: string, call: string, args: Json): Promise<CheckReport> {
    this.mustBeOpen();
    const process = await processForQuestions(this.#parts, await this.#parts.directory.find(pid));
    return (await this.#parts.wouldBe(process, call, args)) as unknown as CheckReport;
  }

  async suggest(of: Holder, options: { widen?: "none" | "folder" } = {}): Promise<SuggestReport> {
    this.mustBeOpen();
    const { tenants, directory, journal } = this.#parts;
    await journal.durable();
    if ("pid" in of) return suggestFor(this.#parts, { row: await directory.find(of.pid) }, options);
    const tenant = await tenants.keyOf(of.tenant ?? DEFAULT_TENANT);
    return suggestFor(this.#parts, { agent: of.agent, tenant }, options);
  }

  async loadPolicy(sources: readonly PolicySource[], by: string): Promise<PolicyReport> {
    this.mustBeOpen();
    const { policies } = this.#parts;
    const enter = (what: string, more: Json) => this.enter(what, by, more);
    const layers = sources.map(({ layer, origin }) => ({ layer, origin }));
    try {
      const report = policies.replace(sources);
      await enter("policy.load", { layers });
      return report;
    } catch (error) {
      await enter("policy.refused", { layers, problem: (error as Error).message });
      throw error;
    }
  }

  why: KernelApi["why"] = async (pid, seq) => whyOf(this.#parts, await this.#recorded(pid), seq);
  causes: KernelApi["causes"] = async (pid, seq) =>
    causesOf(this.#parts, await this.#recorded(pid), seq);
  moment: KernelApi["moment"] = async (pid, seq) =>
    momentOf(this.#parts, await this.#recorded(pid), seq);

  /** With all that it did until now on the disk. */
  async #recorded(pid: string): Promise<ProcessRow> {
    this.mustBeOpen();
    await this.#parts.journal.durable();
    return this.#parts.directory.find(pid);
  }

  async mintToken(request: TokenRequest) {
    this.mustBeOpen();
    return this.#parts.tokens.mint(request);
  }

  async verifyToken(token: string): Promise<Json> {
    this.mustBeOpen();
    return this.#parts.tokens.verify(token);
  }

  policy = async (): Promise<PolicyReport> => this.#parts.policies.report();
  scrub = (text: string): string => this.#parts.scrub(text);

  async ledger({ limit = 1000 } = {}): Promise<LedgerReport[]> {
    this.mustBeOpen();
    await this.#parts.journal.durable();
    return this.#parts.ledger.list(limit);
  }

  /** A person can always end what is theirs; all else is as the policy of the process says. */
  protected mustAllowSignal(row: ProcessRow, signal: SignalName): void {
    if (signal === "SIGKILL") return;
    const { policies } = this.#parts;
    const layers = policies.layersFor({ layers: row.spec.layers ?? [] });
    if (policies.current.allowsSignal(layers, signal)) return;
    throw new SysError("EPOLICY", `its policy does not allow the signal ${signal}`, {
      hint: "security.md lists the allowed signals under `signals`; SIGKILL is always allowed",
    });
  }

  policyAllows(pid: string, kind: string, verb: string) {
    return policyForPerson(this.#parts, pid, { kind, verb });
  }

  async testPolicy(sources: readonly PolicySource[], cases: unknown): Promise<Json> {
    const { policies, devices } = this.#parts;
    const tests = policyTestsSchema.safeParse(cases);
    if (!tests.success)
      throw new SysError("EINVAL", `the tests cannot be read: ${z.prettifyError(tests.error)}`);
    const policy = policies.compile(sources);
    const results = runPolicyTests(policy, tests.data, policy.layerNames, (tool, args) => {
      if (!devices.toolNames.includes(tool)) return undefined;
      const known = devices.tool(tool, EVERYONE);
      const fits = args !== null && known.refuses?.(args) === undefined;
      if (!fits) return { effect: known.effect }; // a case may leave them out
      const { isUndoable: undoable, ...rest } = describeTool(known, args, NOWHERE);
      return { ...rest, undoable };
    });
    return results as unknown as Json;
  }

  async backtest(sources: readonly PolicySource[], sinceMs: number): Promise<BacktestReport> {
    this.mustBeOpen();
    await this.#parts.journal.durable();
    return backtest(this.#parts, sources, sinceMs);
  }

  async secrets(): Promise<SecretReport[]> {
    this.mustBeOpen();
    const { vault, store } = this.#parts;
    const tenants = [...new Set((await store.secrets()).map(({ tenant }) => tenant))];
    const names = await Promise.all(tenants.map((tenant) => store.tenantName(tenant)));
    return names.flatMap((tenant) =>
      vault.list(tenant).map(({ name, bindings, updatedAt }) => ({
        name,
        tenant,
        bindings: bindings as unknown as Json[],
        updatedAt: new Date(updatedAt).toISOString(),
      })),
    );
  }

  async setSecret(secret: SecretRequest, by: string): Promise<void> {
    this.mustBeOpen();
    const { tenant = DEFAULT_TENANT, name, value } = secret;
    const bindings = secret.bindings as unknown as Binding[];
    await this.#parts.tenants.keyOf(tenant);
    await this.#parts.vault.set(tenant, { name, value, bindings }, by);
  }

  async removeSecret(
    name: string,
    { tenant = DEFAULT_TENANT, by }: { tenant?: string; by: string },
  ): Promise<void> {
    this.mustBeOpen();
    await this.#parts.tenants.keyOf(tenant);
    const wasThere = await this.#parts.vault.remove(tenant, name, by);
    if (!wasThere)
      throw new SysError("ENOENT", `unknown secret ${name}`, { hint: "aos secret ls" });
  }

  async enter(what: string, by: string, detail: Json): Promise<void> {
    this.mustBeOpen();
    const { ledger, journal } = this.#parts;
    ledger.add({ what, by, detail });
    await journal.durable();
  }
}
