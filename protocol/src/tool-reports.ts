// What people are told of tools, MCP servers, skills and workspaces.

import type { Json } from "./json.ts";
import type { Effect } from "./ports.ts";

/** How a tool has done since boot. */
export interface HealthReport {
  readonly calls: number;
  readonly failures: number;
  /** Milliseconds; null before the first call. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly lastFailure: { readonly at: number; readonly message: string } | null;
}

export interface ToolReport {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** `built-in`, `program` (declared as data), `project`, `mcp`, `library`. */
  readonly source: string;
  readonly effect: Effect;
  readonly tags: readonly string[];
  readonly deprecated: string | null;
  readonly calls: number;
  readonly failures: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** How well it fits what was searched for; absent without a search. */
  readonly score?: number;
  /** `words` where what words mean is not known here; absent without a search. */
  readonly searchedBy?: "words" | "words and meaning";
}

/** Something of the home or of a project that is left out. */
export interface FolderProblem {
  readonly kind: "tool" | "mcp" | "instructions";
  /** File, line where there is one, and reason. */
  readonly message: string;
  /** The folder that is not trusted, where that is why. */
  readonly untrusted?: string;
}

export interface ToolDetail extends ToolReport {
  readonly input: Json;
  readonly output: Json;
  readonly sandbox: "process" | null;
  readonly undo: string | null;
  readonly egress: boolean;
  readonly hints: { readonly usd?: number; readonly ms?: number };
  readonly lastFailure: { readonly at: string; readonly message: string } | null;
  /** The capabilities that a call needs, as far as they do not depend on its arguments. */
  readonly needs: readonly string[];
}

export type McpState = "ready" | "connecting" | "failed" | "changed" | "stopped";

export interface McpServerReport {
  readonly name: string;
  readonly transport: "stdio" | "http";
  /** The command, or the address. */
  readonly where: string;
  /** The file that declares it. */
  readonly declaredIn: string;
  readonly state: McpState;
  /** Why it is not ready. */
  readonly detail: string | null;
  readonly protocol: string | null;
  readonly tools: readonly string[];
  /** Tools whose description or schema is no longer what was agreed to, with what changed. */
  readonly changed: readonly { readonly tool: string; readonly what: string }[];
  readonly restarts: number;
}

export interface McpTestReport {
  readonly name: string;
  readonly ok: boolean;
  readonly steps: readonly {
    readonly step: string;
    readonly ok: boolean;
    readonly detail: string;
    readonly ms: number;
  }[];
}

/** An agent that has a name: a manifest of the caller's project, or of the home. */
export interface AgentReport {
  readonly name: string;
  readonly description: string;
  /** In the order in which they are tried; none for a program of its own. */
  readonly models: readonly string[];
  readonly tools: readonly string[];
}

export interface SkillReport {
  readonly name: string;
  readonly description: string;
  /** `project`, `user`, `system`. */
  readonly source: string;
  readonly folder: string;
  readonly allowedTools: readonly string[] | null;
  /** What is wrong with it; it is not offered then. */
  readonly problems: readonly string[];
}

export interface SkillDetail extends SkillReport {
  readonly body: string;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

export interface FileChange {
  /** As the agent sees it: `/work/src/a.ts`. */
  readonly path: string;
  readonly change: "added" | "removed" | "changed" | "mode";
  readonly kind: "file" | "folder" | "link";
  readonly isBinary: boolean;
  readonly before: number | null;
  readonly after: number | null;
  /** A unified diff, where it was asked for and the file is text. */
  readonly diff?: string;
}

export interface ChangesReport {
  readonly tree: string;
  readonly kind: "private" | "direct" | "copy";
  readonly project: string | null;
  /** `open`, `committed`, `undone`. */
  readonly state: string;
  readonly changes: readonly FileChange[];
  /** What a reader should know: what was left out, and why. */
  readonly notes?: readonly string[];
}

export interface WorkspaceActReport {
  readonly tree: string;
  readonly project: string | null;
  /** The files that were put back or let through. */
  readonly files: readonly string[];
  readonly notes?: readonly string[];
}
