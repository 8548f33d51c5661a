// Authority: what the operator's questions about power, policy, people and secrets are answered with.

import type { Json } from "./json.ts";
import type { Touch } from "./ports.ts";

/** One chain of capabilities that a process, or every process of an agent, holds. */
export interface HoldingReport {
  /** `birth`, or the handle under which it was granted. */
  readonly handle: string;
  /** The id of its last block, to revoke it by. */
  readonly block: string;
  readonly capabilities: readonly string[];
  /** Every block of the chain, outermost first, with what was used of each capability. */
  readonly chain: readonly {
    readonly block: string;
    readonly holder: string;
    readonly revoked: boolean;
    readonly expiresAt: string | null;
    readonly capabilities: readonly { readonly text: string; readonly uses: number }[];
  }[];
  readonly by: string;
  readonly givenAt: string;
  readonly expiresAt: string | null;
  readonly state: "held" | "expired" | "revoked";
  /** The rule that a person answered with "always". */
  readonly standing: string | null;
  readonly reason: string | null;
  /** What those who wrote its capabilities had read: `trusted/public` for the operator's own words. */
  readonly label: string;
}

export interface PowerReport {
  readonly pid: string | null;
  readonly agent: string;
  readonly label: string | null;
  readonly colour: "BLUE" | "YELLOW" | "RED" | null;
  readonly layers: readonly string[];
  readonly holdings: readonly HoldingReport[];
}

/** What the gate would say to an action of a process. */
export interface CheckReport {
  readonly allow: boolean;
  readonly code?: string;
  readonly reason?: string;
  readonly hint?: string;
  /** The check that decided, the nearest grant or rule, the smallest grant that would allow it. */
  readonly detail?: Json;
}

/** Why a recorded call was allowed or refused. */
export interface WhyReport {
  readonly pid: string;
  readonly seq: number;
  readonly call: string;
  readonly args: Json;
  readonly outcome: "allowed" | "refused" | "failed";
  readonly code?: string;
  readonly message?: string;
  readonly detail?: Json;
  /** Who approved, which shadow rules spoke, what was noted. */
  readonly verdict?: string;
  readonly label: string;
  readonly touches: readonly Touch[];
  /** For each touch, the blocks of the chain that speak of it. */
  readonly blocks: readonly { readonly block: string; readonly capability: string | null }[];
}

export interface SuggestReport {
  readonly of: string;
  readonly runs: number;
  readonly calls: number;
  readonly capabilities: readonly string[];
  readonly tools: readonly string[];
  /** What is granted now and was never used. */
  readonly unused: readonly string[];
  /** The manifest with these capabilities, as YAML. */
  readonly manifest: string;
}

export interface RevokeReport {
  readonly revoked: readonly string[];
  /** Running calls that were stopped. */
  readonly stopped: number;
}

export interface SecretReport {
  readonly name: string;
  readonly tenant: string;
  readonly bindings: readonly Json[];
  readonly updatedAt: string;
}

/** What a person, or the daemon for them, did that is no record of a process. */
export interface LedgerReport {
  readonly node: string;
  readonly seq: number;
  readonly at: string;
  readonly by: string;
  readonly what: string;
  readonly detail: Json;
}

export interface PolicyReport {
  readonly layers: readonly Json[];
  readonly loadedAt: string;
}

export interface BacktestReport {
  readonly since: string;
  readonly runs: number;
  readonly calls: number;
  readonly changed: number;
  readonly changes: readonly {
    readonly pid: string;
    readonly seq: number;
    readonly at: string;
    readonly agent: string;
    readonly call: string;
    readonly tool: string | null;
    readonly from: string;
    readonly to: string;
    readonly rule: string;
  }[];
}
