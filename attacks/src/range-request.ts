// The input of a range: its source, its mode, and the programs to run in it.

import type { Sandbox } from "@aos/drivers";
import type { KernelOptions } from "@aos/kernel";
import type { Budget, Json, Label, ProgramListener, Sys } from "@aos/protocol";
import type { PolicySources, Weakness } from "./weaknesses.ts";

/** The parts of the live system from which a range is made. */
export type RangeSource = Pick<KernelOptions, "limits" | "approvals" | "tools"> & {
  readonly policy: PolicySources;
  /** The sandbox for programs; this machine's when absent. */
  readonly sandbox?: () => Promise<Sandbox>;
};

export interface RangeMode {
  readonly weak?: readonly Weakness[];
  /** On the disk, with an audit log, so that it can be restarted. */
  readonly isKept?: boolean;
  readonly unloadAfterMs?: number;
}

export type RangeScript = (sys: Sys, given: Json) => Promise<unknown>;

/** A program that talks to the kernel without a client library. */
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
