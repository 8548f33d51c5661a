// Sandbox: where foreign code runs. Every tool that starts a program, every foreign program, tool host and MCP server
// is started only through this interface.
//
//   const run = await sandbox.start({ command: ["/usr/bin/true"], ...confinement });
//   const ending = await run.ended;
//
// SANDBOX-1  A run sees only what is listed.
// SANDBOX-2  After `ended` the run has left no process, mount, cgroup, file or socket.
// SANDBOX-3  `holds` reports which parts the machine enforces; if the operator requires a part that it does not, the
//     run is refused.

import type { Hold, SandboxPart } from "@aos/protocol";

/** Something of the machine that a run sees. */
export interface Mount {
  /** Where it is on the machine; absolute, and opened without following a link at its end. */
  readonly from: string;
  /** Where the run sees it; the same place when absent. */
  readonly at?: string;
  readonly mode: "read" | "write";
}

/** What ends a run when it is reached. Absent: the driver's default. */
export interface RunLimits {
  /** The wall clock. */
  readonly wallMs?: number;
  /** Processor time of all its processes together. */
  readonly cpuMs?: number;
  /** Of all its processes together, with what it writes to its private /tmp. */
  readonly memoryBytes?: number;
  /** Processes and threads at once. */
  readonly processes?: number;
  readonly openFiles?: number;
  /** Of one file. */
  readonly fileBytes?: number;
  /** Of standard output and standard error together, where they are collected. */
  readonly outputBytes?: number;
  /** What it may add to the folders that it may write to, and to /tmp. */
  readonly diskBytes?: number;
  /** Files, folders and links that it may add to them. */
  readonly files?: number;
}

export type LimitName = keyof RunLimits;

export interface Confinement {
  readonly mounts: readonly Mount[];
  /**
   * Files that are there and that the run must not see: each looks empty and cannot be written. Bytes where
   * a path is not text.
   */
  readonly hidden?: readonly (string | Buffer)[];
  /** The folder it starts in, as it sees it. `/tmp` when absent. */
  readonly folder?: string;
  /** All of its environment, beside PATH, HOME, LANG and TMPDIR, which these may replace. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * `none`: a separate network without any way out. A socket: the same, and its programs find a proxy
   * in their environment, whose other end is this Unix socket of the machine.
   */
  readonly network: "none" | { readonly proxySocket: string; readonly authorities?: string };
  /** `tool`: what programs need. `program`: the same without any socket family. */
  readonly profile: "tool" | "program";
  readonly limits?: RunLimits;
  /** Whose files it works on. A separate user when absent (where the daemon may choose). */
  readonly user?: { readonly uid: number; readonly gid: number };
}

export interface RunRequest extends Confinement {
  /** The program, absolute or found on the PATH that the run sees, and its words. No shell. */
  readonly command: readonly string[];
  /**
   * `collect`: output is kept, up to `outputBytes`. `stream`: it is read by the caller from `stdout` and
   * `stderr`, which it has to do, and `outputBytes` does not count.
   */
  readonly output: "collect" | "stream";
  /** Given to standard input, which is then closed. Without it, and with `stream`, stdin stays open. */
  readonly input?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** A few words for the names of cgroups and for messages. */
  readonly name: string;
}

export interface SandboxUsage {
  readonly wallMs: number;
  readonly cpuMs: number | null;
  readonly memoryBytes: number | null;
}

/** How a run came to its end. */
export interface NotStarted {
  readonly program: string;
  readonly reason: "not-found" | "not-executable";
}

export interface RunEnding {
  /** The exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The program was never started. */
  readonly notStarted?: NotStarted;
  /** The limit that ended it, where one did: in words for the agent, e.g. `memory: more than 256 MiB`. */
  readonly limit?: { readonly name: LimitName; readonly message: string };
  /** It was stopped from outside: the process was killed, the grant revoked. */
  readonly isAborted: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** Output was thrown away beyond the limit. */
  readonly isCut: boolean;
  readonly usage: SandboxUsage;
}

export interface SandboxedRun {
  /** The process on the machine; for tests and messages. */
  readonly pid: number;
  /** With `stream` only. */
  readonly stdin: NodeJS.WritableStream | undefined;
  readonly stdout: NodeJS.ReadableStream | undefined;
  readonly stderr: NodeJS.ReadableStream | undefined;
  /** SANDBOX-2. Never rejects. */
  readonly ended: Promise<RunEnding>;
  kill(): void;
}

export type Holds = Readonly<Record<SandboxPart, Hold>>;

/** What the machine's sandbox is, found by trying it. */
export interface SandboxReport {
  readonly level: "none" | "process";
  /** `bubblewrap 0.8.0`, `seatbelt`, `nothing`. */
  readonly driver: string;
  readonly holds: Holds;
  /** Which mechanism holds each part: `cgroup v1`, `rlimit`, `seccomp`, `network namespace`. */
  readonly mechanisms: Readonly<Record<SandboxPart, string>>;
  /** What is weaker than it could be, and what to do about it. */
  readonly warnings: readonly string[];
}

export interface Sandbox {
  readonly report: SandboxReport;
  /** Throws SysError EACCES when a part that is demanded cannot be enforced, EINVAL for a bad request. */
  start(request: RunRequest): Promise<SandboxedRun>;
  /** Ends what runs and removes what is kept between runs. */
  close(): Promise<void>;
}

/** What the operator chose (config.yaml, `sandbox:`). */
export interface SandboxOptions {
  /** `process` unless the operator wrote `none`. */
  readonly level?: "none" | "process";
  /** Parts that must be enforced, else runs are refused. Default: files, network and syscalls. */
  readonly require?: readonly SandboxPart[];
  readonly limits?: RunLimits;
  /** Paths beside /usr that every run sees, read-only. */
  readonly system?: readonly string[];
}
