// What lets the attacks of group E (handles, chains, counters, revocation) through, each by its id: see opening.ts.

import type { Opening } from "./opening.ts";

export const openingsE: Readonly<Record<string, Opening>> = {
  E1: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "kernel/src/syscall/capability-check.ts",
        line: "if (by !== undefined && process.holdings.get(by) === undefined)",
        becomes: "if (false)",
      },
      {
        file: "kernel/src/capability/holdings.ts",
        line: "return block === undefined ? [] : [{ handle, block }];",
        becomes: "return block === undefined ? [...holdings] : [{ handle, block }];",
      },
    ],
  },
  E2: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "kernel/src/syscall/capability-check.ts",
        line: "if (by !== undefined && process.holdings.get(by) === undefined)",
        becomes: "if (false)",
      },
      {
        file: "kernel/src/capability/holdings.ts",
        line: "return block === undefined ? [] : [{ handle, block }];",
        becomes: "return block === undefined ? [...holdings] : [{ handle, block }];",
      },
    ],
  },
  E3: { configured: ["wide-grants"] },
  E4: { configured: ["wide-grants"] },
  E5: { configured: ["wide-grants"] },
  E6: { configured: ["wide-grants"] },
  E7: { configured: ["wide-grants"] },
  E8: { configured: ["wide-grants"] },
  E9: { configured: ["wide-grants"] },
  E10: {
    lines: [
      {
        file: "kernel/src/syscall/capability-check.ts",
        line: "charge(charges, nowMs);",
        becomes: "",
      },
    ],
  },
  E11: { configured: ["wide-grants"] },
  E12: { configured: ["wide-grants"] },
  E13: { configured: ["wide-grants"] },
  E14: { configured: ["no-limits"] },
  E15: { configured: ["no-limits"] },
  E16: { configured: ["no-limits"] },
  E17: {
    lines: [
      {
        file: "kernel/src/capability/obstacle.ts",
        line: "return block.revoked || (block.expiresAt !== undefined && !(nowMs < block.expiresAt));",
        becomes: "return block.expiresAt !== undefined && !(nowMs < block.expiresAt);",
      },
      {
        file: "kernel/src/operator/grants.ts",
        line: "process.holdings.remove(row.handle);",
        becomes: "",
      },
    ],
  },
  E18: {
    lines: [
      {
        file: "kernel/src/capability/obstacle.ts",
        line: "return block.revoked || (block.expiresAt !== undefined && !(nowMs < block.expiresAt));",
        becomes: "return block.expiresAt !== undefined && !(nowMs < block.expiresAt);",
      },
    ],
  },
  E19: {
    lines: [
      {
        file: "kernel/src/operator/grants.ts",
        line: "if (call.interrupt !== undefined) stopping.push(withinStopLimit(call.interrupt(reason)));",
        becomes: "",
      },
    ],
  },
  E20: {
    lines: [
      {
        file: "kernel/src/capability/obstacle.ts",
        line: "return block.revoked || (block.expiresAt !== undefined && !(nowMs < block.expiresAt));",
        becomes: "return block.expiresAt !== undefined && !(nowMs < block.expiresAt);",
      },
      {
        file: "kernel/src/process/load.ts",
        line: 'state !== "revoked"',
        becomes: "state !== undefined",
      },
    ],
  },
  E21: {
    lines: [
      {
        file: "kernel/src/operator/grants.ts",
        line: "if (row === undefined || row.givenBy !== process.pid)",
        becomes: "if (row === undefined)",
      },
    ],
  },
  E22: {
    lines: [
      {
        file: "kernel/src/capability/obstacle.ts",
        line: "return block.revoked || (block.expiresAt !== undefined && !(nowMs < block.expiresAt));",
        becomes: "return block.revoked || nowMs < 0;",
      },
    ],
  },
  E23: {
    lines: [
      {
        file: "kernel/src/token/mac-token.ts",
        line: "if (!timingSafeEqual(tags.at(-1) as Buffer, tag)) {",
        becomes: "if (timingSafeEqual(tag, Buffer.alloc(32))) {",
      },
    ],
  },
  E24: {
    lines: [
      {
        file: "kernel/src/token/mac-token.ts",
        line: "if (!timingSafeEqual(tags.at(-1) as Buffer, tag)) {",
        becomes: "if (timingSafeEqual(tag, Buffer.alloc(32))) {",
      },
    ],
  },
  E25: { configured: ["wide-grants"] },
  E26: {
    lines: [
      {
        file: "kernel/src/token/token.ts",
        line: "if (isRevoked(block.revocationId)) {",
        becomes: "if (false) {",
      },
      {
        file: "kernel/src/capability/obstacle.ts",
        line: "return block.revoked || (block.expiresAt !== undefined && !(nowMs < block.expiresAt));",
        becomes: "return block.expiresAt !== undefined && !(nowMs < block.expiresAt);",
      },
    ],
  },
  E27: {
    lines: [
      {
        file: "kernel/src/capability/obstacle.ts",
        line: "return block.revoked || (block.expiresAt !== undefined && !(nowMs < block.expiresAt));",
        becomes: "return block.expiresAt !== undefined && !(nowMs < block.expiresAt);",
      },
    ],
  },
  E28: {
    lines: [
      {
        file: "kernel/src/token/token.ts",
        line: "if (holder === null || holder === presenter) return holder;",
        becomes: "return holder;",
      },
    ],
  },
  E29: {
    lines: [
      {
        file: "kernel/src/capability/obstacle.ts",
        line: "return block.revoked || (block.expiresAt !== undefined && !(nowMs < block.expiresAt));",
        becomes: "return block.revoked || nowMs < 0;",
      },
      {
        file: "kernel/src/token/token.ts",
        line: "block.expiresAt !== null &&",
        becomes: "false &&",
      },
    ],
  },
  E30: {
    lines: [
      {
        file: "kernel/src/token/ed25519.ts",
        line: 'return verify(null, message, createPublicKey({ key, format: "der", type: "spki" }), signature);',
        becomes: "return verify.length > 0;",
      },
    ],
  },
};
