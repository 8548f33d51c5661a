// What is asked of a range: what to make it from, how, and what to run in it.

import type { Sandbox } from "@aos/drivers";
import type { KernelOptions } from "@aos/kernel";
import type { Budget, Json, Label, ProgramListener, Sys } from "@aos/protocol";
import type { PolicySources, Weakness } from "./weaknesses.ts";

/** What of the live system a range is made from. */
export type RangeSource = Pick<KernelOptions, "limits" | "approvals" | "tools"> & {
  readonly policy: PolicySources;
  /** What programs run in; this machine's when absent. */
  readonly sandbox?: () => Promise<Sandbox>;
};

export interface RangeMode {
  readonly weak?: readonly Weakness[];
  /** On the disk, with an audit log, so that it can be restarted. */
  readonly isKept?: boolean;
  readonly unloadAfterMs?: number;
}

export type RangeScript = (sys: Sys, given: Json) => Promise<unknown>;

/** A program that speaks to the kernel as it likes. */
export type HostileHandler = (listener: ProgramListener) => void;

export interface RangeRunOptions {
  readonly as?: "attacker" | "accomplice" | "victim";
  readonly capabilities?: readonly string[];
  readonly label?: Label;
  readonly tenant?: string;
  readonly budget?: Budget;
  readonly given?: Json;
  readonly workspace?: { readonly folder: string; readonly isCow: boolean };
}
