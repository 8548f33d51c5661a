// Sandbox parts: the restrictions that a sandbox can enforce on a tool or a foreign program.

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
