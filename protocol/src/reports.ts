// Reports: what the operator's questions are answered with. The kernel makes them; the HTTP API and
// the command line show them as they are.

import type { ProcessId } from "./ids.ts";
import type { BudgetReport } from "./model-reports.ts";
import type { ProcessState, Spend } from "./process.ts";
import type { CeilingReport } from "./tenant.ts";

export interface ReplayReport {
  readonly pid: ProcessId;
  readonly records: number;
  readonly identical: boolean;
  /** The first difference, where there is one. */
  readonly difference: {
    readonly seq: number;
    readonly recorded: string;
    readonly replayed: string;
  } | null;
}

export interface AuditFinding {
  readonly kind: "changed" | "missing" | "reordered" | "truncated" | "log" | "blob";
  readonly pid: string | null;
  readonly seq: number | null;
  readonly message: string;
}

export interface AuditReport {
  readonly ok: boolean;
  readonly processes: number;
  readonly records: number;
  /** The number of chain heads under the signed tree head. */
  readonly logged: number;
  readonly findings: readonly AuditFinding[];
}

/** Whether the store has all that was written to it. */
export interface StoreReport {
  readonly ok: boolean;
  readonly store: string;
  /** How many signed heads it was compared with. */
  readonly heads: number;
  readonly summary: string | null;
  /** Processes that do not run, and why. */
  readonly held: readonly { readonly pid: string; readonly why: string }[];
  /** What was written and is not there: the last record that is known, and the last that is stored. */
  readonly lost: readonly {
    readonly pid: string;
    readonly known: number;
    readonly stored: number;
    readonly kind: "behind" | "different" | "missing";
  }[];
  readonly damage: readonly string[];
}

/** What an operator asks of the store, and says to it. */
export interface StoreKeeper {
  /** Whether the store has all that was written to it, by what was signed apart from it. */
  storeReport(): Promise<StoreReport>;
  /** Accepts that what is missing is lost: what is held goes on, and what it had begun is in doubt. */
  acceptStore(word: {
    by: string;
    /** Only the trees of these. */
    pids?: readonly string[];
  }): Promise<StoreReport & { released: number }>;
}

export interface GcReport {
  readonly dryRun: boolean;
  readonly compacted: number;
  readonly recordsRemoved: number;
  readonly bytesFreed: number;
  readonly kept: number;
  /** Compacted runs whose rows went as well; in a dry run, those that are beyond the limit now. */
  readonly resultsRemoved: number;
}

/** Something that a process waits for a person to answer. */
export interface Question {
  readonly id: string;
  readonly pid: ProcessId;
  readonly kind: "question" | "doubt" | "policy" | "proposal";
  readonly question: string;
  readonly choices: readonly string[];
  readonly digest: string;
  readonly askedAt: string;
  readonly expiresAt: string | null;
  /** The group of people that is asked; null for whoever may answer at all. */
  readonly channel: string | null;
  /** Who is in that group. */
  readonly people: readonly string[] | null;
  /** How many must say yes. */
  readonly quorum: number;
  readonly votes: readonly {
    readonly person: string;
    readonly choice: string;
    readonly at: string;
  }[];
  /** How many calls wait for this one answer, and whose they are. */
  readonly count: number;
  readonly pids: readonly ProcessId[];
  readonly about: QuestionAbout | null;
}

/** What a question is about, as it was when it was asked. */
export interface QuestionAbout {
  readonly agent: string;
  readonly call: string;
  readonly tool: string | null;
  /** JSON text, whole; what turns or hides text in it is escaped. */
  readonly args: string;
  /** `kind:resource:verb` */
  readonly touches: readonly string[];
  readonly effect: string | null;
  readonly sinks: readonly string[];
  /** What the process had read, and its colour. */
  readonly label: string;
  readonly colour: "BLUE" | "YELLOW" | "RED";
  /** The rules that ask. */
  readonly rule: string | null;
  /** A standing answer is not taken. */
  readonly everyTime: boolean;
  /** What "always", or the yes to a proposal, gives. */
  readonly cover: readonly string[];
  /** Of a proposal: what of it the process could not do before. */
  readonly difference?: readonly string[];
  /** What a yes would run, and what that may reach; the digest of the question covers it. */
  readonly runs?: RunIdentity;
}

/** What would run after a yes, and where: the yes is for this and for nothing else of the same name. */
export interface RunIdentity {
  /** Null where the call is no tool's. */
  readonly tool: {
    readonly name: string;
    readonly version: string;
    /** Of the code or the definition behind the name; null where the version says it all. */
    readonly digest: string | null;
  } | null;
  /** The program of the process, its version, and the hash of its manifest. */
  readonly program: string;
  readonly programVersion: string;
  readonly manifest: string;
  /** The folder that the agent is from. */
  readonly project: string | null;
  readonly workspace: {
    readonly kind: "private" | "direct" | "copy";
    readonly folder: string | null;
  };
  /** The files that the arguments name. */
  readonly files: readonly NamedFile[];
  /** Capabilities: what the running call may reach beside what it touches. */
  readonly reach: readonly string[];
}

/** A file that is named in the arguments of a call. */
export interface NamedFile {
  /** As the agent names it. */
  readonly path: string;
  /** `sha256:…` of its bytes; `ctime:…` where it is too large to be read. */
  readonly digest: string;
  readonly bytes: number;
}

/** What came of a person's word. */
export interface AnswerReport {
  readonly id: string;
  readonly settled: boolean;
  readonly answer: string | null;
  /** How many have made this choice, and how many must. */
  readonly votes: number;
  readonly needed: number;
  /** The other questions that it settled. */
  readonly alsoAnswered: readonly string[];
  readonly given?: { readonly handle: string; readonly capabilities: readonly string[] };
}

/** Who answers on a socket; also what `$AOS_HOME/daemon.json` says. */
export interface DaemonInfo {
  readonly pid: number;
  readonly version: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly socket: string;
  /** The HTTP address; null before there is one, and where there is only the socket. */
  readonly url: string | null;
}

export interface StatusReport {
  readonly daemon: { readonly pid: number; readonly version: string; readonly startedAt: string };
  /** The HTTP address; null while it listens on its socket only. */
  readonly url: string | null;
  readonly socket: string;
  readonly home: string;
  readonly store: string;
  readonly node: string;
  /** Processes in memory; the others are rows. */
  readonly loaded: number;
  readonly states: Readonly<Partial<Record<ProcessState, number>>>;
  /** What is wrong with the store, where something is. */
  readonly trouble?: string;
}

export interface TenantReport {
  readonly name: string;
  /** How many processes it has in each state; one that it has none in is not there. */
  readonly states: Readonly<Partial<Record<ProcessState, number>>>;
  /** Since ever. */
  readonly spent: Spend;
  /** Those of all its runs together, and what is left of each. */
  readonly budgets: readonly BudgetReport[];
  /** The most that anybody of it may hold. */
  readonly ceiling: CeilingReport;
}

/** Who can be asked for the tenants. */
export interface TenantReader {
  /** Every tenant, its processes, what they have spent and what is left to them. */
  tenants(): Promise<TenantReport[]>;
}
