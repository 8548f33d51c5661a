// Exit codes of processes, and of `aos` for them. Codes from 96 up leave a core dump.

export const exitCodes = {
  success: 0,
  failed: 1,
  badInput: 2,
  budget: 64,
  rateLimited: 65,
  timeout: 66,
  queueFull: 67,
  velocity: 68,
  refused: 96,
  contextOverflow: 97,
  upstream: 98,
  leaseExpired: 100,
  lowConfidenceRefused: 101,
  lowConfidence: 102,
  interrupted: 130,
  killed: 137,
} as const;

/** An orderly stop by a person is no accident; everything else from 96 up is. */
export const leavesCoreDump = (code: number): boolean =>
  code >= 96 && code !== exitCodes.interrupted;
