// Ports: what the kernel requires of drivers. The kernel knows no vendor, no shell and no HTTP; the daemon connects
// drivers to these ports.

import type { FailureText } from "./failures.ts";
import type { Json } from "./json.ts";
import type { FileLabels, Label } from "./label.ts";
import type { NamedFile } from "./operations/question.ts";
import type { SignalName } from "./signals.ts";
import type { ProgramConfinement } from "./tenant.ts";
import type { ToolUndo } from "./workflow/outcome.ts";

// ── Programs ──────────────────────────────────────────────────────────────────────────────────

/** What a program is told, one at a time, in the order of its journal. */
export type Delivery =
  | {
      readonly kind: "answer";
      readonly id: number | string;
      readonly ok?: Json;
      readonly err?: FailureText;
    }
  | {
      readonly kind: "signal";
      readonly signal: SignalName;
      /** Of SIGBUDGET: the percent of a limit that is used, where it is not all of it. */
      readonly part?: number;
    };

/** How a program came to its end. */
export type ProgramEnd =
  | {
      readonly kind: "returned";
      readonly output: Json;
      readonly code?: number;
      readonly reason?: string;
    }
  | { readonly kind: "threw"; readonly error: FailureText }
  /** It went away without an end: killed, or its own process crashed. It may be started again. */
  | { readonly kind: "crashed"; readonly reason: string }
  /** It broke the protocol. It is not started again. */
  | { readonly kind: "misbehaved"; readonly reason: string };

export interface ProgramListener {
  call(id: number | string, name: string, args: Json): void;
  ended(end: ProgramEnd): void;
}

export interface RunningProgram {
  deliver(what: Delivery): void;
  /** Ends it at once and without a word. Resolves when nothing of it is left. */
  stop(): Promise<void>;
}

export interface ProgramStart {
  readonly pid: string;
  readonly input: Json;
  /** What was last given to `checkpoint`; absent on a first start. */
  readonly state?: Json;
  /** For programs that are another executable: what to run, from the manifest. */
  readonly command?: readonly string[];
  /** The folder that a relative command is read from. */
  readonly folder?: string;
  /** Of a tenant that has a ceiling: what its programs may see of the machine. */
  readonly confinement?: ProgramConfinement;
}

/** Something that can run programs: functions in this process, or executables beside it. */
export interface ProgramDriver {
  start(what: ProgramStart, listener: ProgramListener): RunningProgram;
  /** Which text of the program this is; recorded at its start. */
  version?(
    command: readonly string[],
    folder?: string,
    within?: ProgramConfinement,
  ): Promise<string>;
}

// ── Tools and models ──────────────────────────────────────────────────────────────────────────

export type Effect = "read" | "idempotent" | "external";

/** A resource that an action needs a capability for. */
export interface Touch {
  readonly kind: string;
  readonly resource: string;
  readonly verb: string;
}

/**
 * What a call does that forgetting it would not undo. `egress`: someone outside may read it.
 * `destructive`: it changes or removes what others rely on. `write`: it can be taken back.
 */
export const sinks = ["egress", "destructive", "write"] as const;
export type Sink = (typeof sinks)[number];

/** Where the value of a secret is about to be put. */
export type SecretPlace =
  /** `origin` as in `https://api.example.com` or `http://127.0.0.1:8080`: scheme, host and port. */
  | { readonly kind: "header"; readonly origin: string; readonly header: string }
  | { readonly kind: "variable"; readonly tool: string; readonly variable: string }
  /** The daemon itself, for what is named: `hook:push`. No program gets it. */
  | { readonly kind: "service"; readonly service: string };

/** Size, time and inode of the files below a folder, by their paths below it. */
export type FolderListing = Readonly<Record<string, string>>;
export type ListFolder = (folder: string, endings?: readonly string[]) => Promise<FolderListing>;

/** What `/work` is for a tree of processes. */
export interface WorkPlace {
  /** The folder of the machine that the operator gave. Without one it starts empty, and is its own. */
  readonly folder?: string;
  /** A copy of the folder: changes reach the folder when the operator lets them through. */
  readonly isCow: boolean;
}

/** Turns texts into vectors, for search by meaning. */
/** What a driver of embeddings is told of the texts that it works on. */
export interface EmbeddingContext {
  /** The operator's key for a provider, for this one place. */
  providerKey(name: string, place: SecretPlace): string;
  /** Tokens that the provider has counted. */
  used?(tokens: number): void;
}

export interface EmbeddingDriver {
  /** Vectors of different models are never compared. */
  readonly model: string;
  /** What the ceiling of a tenant names, `openai/text-embedding-3-small`; absent for a model of this machine. */
  readonly resource?: string;
  /** US dollars for a million tokens; nothing where it is absent. */
  readonly price?: number;
  /** Texts leave this machine: none is sent that may not. */
  readonly egress: boolean;
  embed(
    texts: readonly string[],
    context?: EmbeddingContext,
  ): Promise<readonly ArrayLike<number>[]>;
}

/** Something that a process holds along a whole chain. */
export interface HeldPattern {
  /** As in a capability: `/data/**`, `api.example.com/v1/**`. */
  readonly pattern: string;
  readonly verbs: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
}

export interface DeviceContext {
  readonly pid: string;
  readonly tenant: string;
  readonly hasCeiling?: boolean; // of its tenant: nothing of it runs outside the sandbox
  /** The pid at the top of its tree of processes, which share a workspace. */
  readonly tree: string;
  readonly workspace: WorkPlace;
  /** The project that the process was started from. */
  readonly folder?: string;
  /** The files that a person saw when the call was approved: what runs must still be these. */
  readonly approvedFiles?: readonly NamedFile[];
  /** What the process has read until now: what it says to whatever outlives the call. */
  readonly hasRead: Label;
  /** Aborted when the process is killed, the grant revoked or the time is up. */
  readonly signal: AbortSignal;
  /** The same for every try of one call: pass it on, so that the far side does it once. */
  readonly key: string;
  /**
   * Asks the gate about what the call turns out to touch: a file's real path, the next hop of a
   * redirect. Throws the refusal; to be called before the thing is used, on what will be used.
   */
  authorize(touch: Touch): void;
  /** Whether the gate would allow it now. Nothing is charged, counted or recorded. */
  permits(touch: Touch): boolean;
  /**
   * What the process may use of a kind without counting: for what cannot be asked about one by one, as
   * what a program in a sandbox sees. When one of them is revoked the call is stopped.
   */
  granted(kind: string): readonly HeldPattern[];
  /** The labels of files below a folder, for what a program sees; undefined where none can have one. */
  labelsBelow(folder: string): Promise<FileLabels | undefined>;
  /** Says what the run can see: it is joined into its result, its failure, what it writes and what it sends. */
  sees(label: Label): void;
  /** Says that anything below a folder may be written by what runs now: it is marked before it is. */
  mayWriteBelow(folder: string): Promise<void>;
  /** Says which files below it were: they are marked, and the others are not any more. */
  wroteBelow(folder: string, paths: readonly string[]): Promise<void>;
  /** Says what held the run, in one line; it is kept in the record of the call. */
  heldBy(sandbox: string): void;
  /**
   * Asks a person, who has to answer before the call goes on. Throws EDENIED when the answer is no or
   * none came. For what turns up while a tool runs: a question of an MCP server.
   */
  ask(question: PersonQuestion): Promise<Json>;
  /** Something of the answer, for those who watch. It is provisional: what is recorded counts. */
  progress(delta: Progress): void;
  /** Says of what the result is made, in place of the tool's own label. Several are joined. */
  label(label: Label): void;
  /**
   * The value of a secret, for this one place. Throws unless the process was granted
   * `secret:NAME:use` and the secret is bound to the place.
   */
  secret(name: string, place: SecretPlace): string;
}

/** A piece of an answer on its way. `restart`: what came before is void, another try has begun. */
export interface Progress {
  readonly kind: "text" | "reasoning" | "restart";
  readonly text: string;
}

/** Something that turned up in the middle of a tool's run and that only a person can say. */
export interface PersonQuestion {
  readonly text: string;
  /** JSON Schema of the answer; a yes or no when absent. */
  readonly schema?: Json;
}

/** Where a call is made from, as far as what it touches depends on that. */
export interface CallPlace {
  readonly workspace: WorkPlace;
}

export interface Tool {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly tags?: readonly string[];
  /** JSON Schema of the result. */
  readonly output?: Json;
  /** What a call usually costs and takes. */
  readonly hints?: { readonly usd?: number; readonly ms?: number };
  /** What takes a call back: `workspace` that it ran in, or a call of another tool. */
  readonly undo?: ToolUndo;
  /** What it runs in: nothing for what only talks to the kernel or is careful itself. */
  readonly sandbox?: "process";
  /** Where it comes from, for people: `built-in` unless said. */
  readonly source?: string;
  /** Capabilities that every call needs beside its own, for people; the arguments may need more. */
  readonly needs?: readonly string[];
  /** What to use in its place: it still works, and is no longer offered. */
  readonly deprecated?: string;
  /** Who could have written the description and the schema, where it was not who runs this system. */
  readonly descriptionLabel?: Label;
  /** JSON Schema of the arguments. */
  readonly input: Json;
  readonly effect: Effect;
  /** True when a run can be seen from outside this machine even though it changes nothing. */
  readonly egress?: boolean;
  /** The resources that a call with these arguments needs, known before it runs. */
  touches(args: Json, place: CallPlace): readonly Touch[];
  /** Where what it is given goes. Without it the effect says: external is egress, idempotent is write. */
  sinks?(args: Json, place: CallPlace): readonly Sink[];
  /** What a call may turn out to touch beside that: shown to people with it, and asked about when it is used. */
  mayTouch?(args: Json, place: CallPlace): readonly Touch[];
  /** A digest of the code or the definition behind the name, where the version does not say it all. */
  identity?(): Promise<string>;
  /** Whether what a call does can be taken back afterwards: `aos undo` of a workspace. No, when absent. */
  isUndoable?(args: Json, place: CallPlace): boolean;
  /**
   * The arguments that say to whom, where or how much. A pin replaces a person only where every one of
   * them that is given is pinned; without this list any pin does.
   */
  readonly authority?: readonly string[];
  /** Refuses arguments that do not fit with a message; returns undefined when they do. */
  refuses?(args: Json): string | undefined;
  run(args: Json, context: DeviceContext): Promise<Json>;
  /** The label of what it returns. Without one a result is untrusted. */
  readonly label?: Label;
}

/** Who asks for tools: what a project brings along is for those that were started from it. */
export interface ToolScope {
  readonly tenant: string;
  /** Where its agent is from, and where it works. */
  readonly folders: readonly string[];
}

/** Tools that come and go: a project's own, and those of MCP servers. */
export interface ToolProvider {
  /** Gets ready what there is for the scope; at once when it is. What cannot be got ready is left out, and said. */
  prepare(scope: ToolScope): Promise<void>;
  /** Those that are ready. */
  tools(scope: ToolScope): readonly Tool[];
  /** Names of tools that rules may speak of before they are there. */
  mayComeToBe(name: string): boolean;
}

/** What a process is told of a skill before it reads it. */
export interface SkillCard {
  readonly name: string;
  readonly description: string;
  /** The names of its SKILL.md on the machine: who wrote there wrote the description. */
  readonly places: readonly string[];
}

export interface SkillFile {
  readonly text: string;
  /** Its names on the machine. */
  readonly places: readonly string[];
  /** Of a SKILL.md: all the tools that who reads it may use from then on. */
  readonly allowedTools?: readonly string[];
}

/** Skills: of a project, of the user, of the system. Of two with one name the nearer is there. */
export interface SkillProvider {
  /** Those that are whole. */
  cards(scope: ToolScope): Promise<readonly SkillCard[]>;
  /** The paths of its files, SKILL.md first; undefined where there is no such skill. */
  files(scope: ToolScope, name: string): Promise<readonly string[] | undefined>;
  /** Undefined where there is no such file of text. */
  read(scope: ToolScope, name: string, path: string): Promise<SkillFile | undefined>;
  /** The AGENTS.md files that hold where it was started and where it works, the farthest first. */
  instructions?(scope: ToolScope): Promise<readonly SkillFile[]>;
}

export type * from "./model-port.ts";
export type * from "./mount-port.ts";
export type * from "./trusted-folder.ts";
