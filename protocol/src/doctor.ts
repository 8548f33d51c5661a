// Doctor: what the daemon finds when it looks at itself, and when it attacks itself.

/** How far the operating system holds a process to something. */
export type Hold = "enforced" | "advisory" | "absent";

/** What a sandbox can hold a tool or a foreign program to. */
export const sandboxParts = [
  "fs",
  "net",
  "pids",
  "mem",
  "cpu",
  "disk",
  "files",
  "syscalls",
] as const;
export type SandboxPart = (typeof sandboxParts)[number];

export interface DoctorCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do about it. */
  readonly hint?: string;
}

export interface DoctorReport {
  /** Every check is. What is absent from the sandbox is said, and is no failure. */
  readonly ok: boolean;
  readonly checks: readonly DoctorCheck[];
  readonly sandbox: Readonly<Record<SandboxPart, Hold>>;
  /** What holds each part: `cgroup v1`, `seccomp`. */
  readonly mechanisms: Readonly<Record<SandboxPart, string>>;
}

export interface Attack {
  readonly id: string;
  readonly name: string;
  readonly group: string;
  readonly outcome: "stopped" | "got-through" | "skipped";
  readonly detail: string;
}

/** An attack that is over, and how far this is of all that were asked for. */
export interface AttackTried {
  readonly attack: Attack;
  readonly number: number;
  readonly of: number;
}

export interface AttackReport {
  readonly attacks: readonly Attack[];
  readonly gotThrough: number;
}
