// Ports: what the kernel needs done outside itself, and drivers do. The kernel knows no vendor, no
// shell and no HTTP; the daemon plugs drivers into these.

import type { FailureText } from "./failures.ts";
import type { Json } from "./json.ts";
import type { Label } from "./label.ts";
import type { SignalName } from "./signals.ts";
import type { InferReply } from "./sys.ts";
import type { SyscallArgs } from "./syscalls.ts";

// ── Programs ──────────────────────────────────────────────────────────────────────────────────

/** What a program is told, one at a time, in the order of its journal. */
export type Delivery =
  | {
      readonly kind: "answer";
      readonly id: number | string;
      readonly ok?: Json;
      readonly err?: FailureText;
    }
  | { readonly kind: "signal"; readonly signal: SignalName };

/** How a program came to its end. */
export type ProgramEnd =
  | { readonly kind: "returned"; readonly output: Json; readonly code?: number }
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
}

/** Something that can run programs: functions in this process, or executables beside it. */
export interface ProgramDriver {
  start(what: ProgramStart, listener: ProgramListener): RunningProgram;
  /** Which text of the program this is; recorded at its start. */
  version?(command: readonly string[], folder: string | undefined): Promise<string>;
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
  | { readonly kind: "variable"; readonly tool: string; readonly variable: string };

export interface DeviceContext {
  readonly pid: string;
  readonly tenant: string;
  /** Aborted when the process is killed, the grant revoked or the time is up. */
  readonly signal: AbortSignal;
  /** The same for every try of one call: pass it on, so that the far side does it once. */
  readonly key: string;
  /**
   * Asks the gate about what the call turns out to touch: a file's real path, the next hop of a
   * redirect. Throws the refusal; to be called before the thing is used, on what will be used.
   */
  authorize(touch: Touch): void;
  /** Says of what the result is made, in place of the tool's own label. Several are joined. */
  label(label: Label): void;
  /**
   * The value of a secret, for this one place. Throws unless the process was granted
   * `secret:NAME:use` and the secret is bound to the place.
   */
  secret(name: string, place: SecretPlace): string;
}

export interface Tool {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Who could have written the description and the schema, where it was not who runs this system. */
  readonly descriptionLabel?: Label;
  /** JSON Schema of the arguments. */
  readonly input: Json;
  readonly effect: Effect;
  /** True when a run can be seen from outside this machine even though it changes nothing. */
  readonly egress?: boolean;
  /** The resources that a call with these arguments needs, known before it runs. */
  touches(args: Json): readonly Touch[];
  /** Where what it is given goes. Without it the effect says: external is egress, idempotent is write. */
  sinks?(args: Json): readonly Sink[];
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

export interface ModelDriver {
  /** The part before the slash: `scripted` answers for `scripted/NAME`. */
  readonly provider: string;
  readonly egress: boolean;
  /** The most that a request can cost; asked before it is sent. Throws when no price is known. */
  worstCase(request: SyscallArgs<"infer">): { readonly usd: number; readonly tokens: number };
  infer(
    request: SyscallArgs<"infer">,
    context: DeviceContext,
  ): Promise<InferReply & { readonly usd: number }>;
}
