// MethodReach: what a caller of one tenant may ask of a method of the kernel. Each family of methods says it beside
// its methods, so that a new one does not compile without; the gateway enforces it (tenant-kernel.ts of the daemon).

/**
 * - `all`: concerns every tenant, and is refused.
 * - `process`: its first argument is a pid; the process must be the tenant's. `stream`: the same, and it is a generator.
 * - `scope`: the argument at that place has an optional `tenant`, which becomes the caller's. `processes` are its
 *   fields that are pids.
 * - `own`: written out in the gateway.
 */
export type MethodReach =
  | "all"
  | "process"
  | "stream"
  | "own"
  | { readonly scope: number; readonly processes?: readonly string[] };
