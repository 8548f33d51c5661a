// The kernel's methods about policy: what is asked of the one in force, and how another takes its place.

import {
  DEFAULT_TENANT,
  SysError,
  type BacktestReport,
  type Json,
  type MachineFiles,
  type OnProgress,
  type PolicyReport,
  type SignalName,
} from "@aos/protocol";
import { z } from "zod";
import type { PolicySource } from "../api.ts";
import { backtest } from "../inspection/backtest.ts";
import { policyTestsSchema, runPolicyTests } from "../inspection/policy-tests.ts";
import type { ProcessRow } from "../store/rows.ts";
import { describeTool } from "../syscall/action.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";
import type { EnterInLedger } from "./ledger-methods.ts";
import type { OpenKernel } from "./open-kernel.ts";
import { policyForAll, policyForPerson } from "./policy-word.ts";

export interface PolicyMethods extends Pick<MachineFiles, "readableFiles"> {
  policy(): Promise<PolicyReport>;
  /** Takes all of these in place of what was in force, or none of them. */
  loadPolicy(sources: readonly PolicySource[], by: string): Promise<PolicyReport>;
  /** Runs the cases of a policy's own tests against these sources. */
  testPolicy(sources: readonly PolicySource[], cases: unknown): Promise<Json>;
  /** What another policy would have said to what is recorded. */
  backtest(
    sources: readonly PolicySource[],
    sinceMs: number,
    options?: { onProgress?: OnProgress | undefined },
  ): Promise<BacktestReport>;
  /**
   * What the policy says to a person who does something on behalf of a process, whether or not it lives:
   * true where no rule forbids it.
   */
  policyAllows(pid: string, kind: string, verb: string): Promise<(resource: string) => boolean>;
}

export const policyReach = {
  policy: "all",
  loadPolicy: "all",
  testPolicy: "all",
  backtest: "all",
  policyAllows: "process",
  readableFiles: "all",
} as const satisfies Record<keyof PolicyMethods, MethodReach>;

/** A tool that a test of a policy names is one that everyone has, called from nowhere in particular. */
const EVERYONE = { tenant: DEFAULT_TENANT, folders: [] };
const NOWHERE = { workspace: { isCow: false } };

export function policyMethods(
  parts: KernelParts,
  open: OpenKernel,
  enter: EnterInLedger,
): PolicyMethods {
  const { policies, devices } = parts;
  return {
    policy: async () => policies.report(),
    async loadPolicy(sources, by) {
      open.mustBeOpen();
      const layers = sources.map(({ layer, origin }) => ({ layer, origin }));
      try {
        const report = policies.replace(sources);
        await enter("policy.load", by, { layers });
        return report;
      } catch (error) {
        await enter("policy.refused", by, { layers, problem: (error as Error).message });
        throw error;
      }
    },
    async testPolicy(sources, cases) {
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
    },
    async backtest(sources, sinceMs, { onProgress } = {}) {
      open.mustBeOpen();
      await parts.journal.durable();
      return backtest(parts, sources, sinceMs, onProgress);
    },
    policyAllows: (pid, kind, verb) => policyForPerson(parts, pid, { kind, verb }),
    readableFiles: async () => policyForAll(parts, { kind: "file", verb: "read" }),
  };
}

/** A person can always end what is theirs; all else is as the policy of the process says. */
export function mustAllowSignal(
  { policies }: Pick<KernelParts, "policies">,
  row: ProcessRow,
  signal: SignalName,
): void {
  if (signal === "SIGKILL") return;
  const layers = policies.layersFor({ layers: row.spec.layers ?? [] });
  if (policies.current.allowsSignal(layers, signal)) return;
  throw new SysError("EPOLICY", `its policy does not allow the signal ${signal}`, {
    hint: "security.md lists the allowed signals under `signals`; SIGKILL is always allowed",
  });
}
