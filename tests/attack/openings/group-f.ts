// What lets the attacks of group F (policy, labels, approvals) through, each by its id: see opening.ts.

import type { Opening } from "./opening.ts";

const nameIsEnough: Opening = {
  lines: [
    {
      file: "kernel/src/process/memory-space.ts",
      line: "): boolean => blocks.at(-1)!.standing !== undefined || isFoundByName(memorySpace);",
      becomes: "): boolean => blocks.length > 0 || isFoundByName(memorySpace);",
    },
  ],
};

export const openingsF: Readonly<Record<string, Opening>> = {
  F1: { configured: ["allow-all"] },
  F2: { configured: ["obedient-person"] },
  F3: {
    lines: [
      {
        file: "kernel/src/syscall/settlement.ts",
        line: "(call.failureLabel ?? answered?.label)",
        becomes: "answered?.label",
      },
    ],
  },
  F4: {
    lines: [
      {
        file: "kernel/src/label/label.ts",
        line: 'export const UNLABELLED: Label = { integrity: "untrusted", secrecy: "public" };',
        becomes: 'export const UNLABELLED: Label = { integrity: "trusted", secrecy: "public" };',
      },
    ],
  },
  F5: { configured: ["allow-all"] },
  F6: { configured: ["allow-all"] },
  F7: { configured: ["allow-all"] },
  F8: { configured: ["allow-all"] },
  F9: { configured: ["allow-all"] },
  F10: { configured: ["allow-all"] },
  F11: {
    configured: ["allow-all"],
    lines: [
      {
        file: "kernel/src/syscall/judge.ts",
        line: 'if (action.sinks.includes("egress") && !mayLeave(process.label))\n    throw words.noFlow(process.label);',
        becomes: "",
      },
    ],
  },
  F12: { configured: ["wide-grants"] },
  F13: { configured: ["allow-all"] },
  F14: { configured: ["allow-all"] },
  F15: { configured: ["allow-all"] },
  F16: { configured: ["allow-all"] },
  F17: {
    lines: [
      {
        file: "kernel/src/policy-formats/rule-text.ts",
        line: "if (ids.has(text.id))",
        becomes: "if (false)",
      },
    ],
  },
  F18: { configured: ["allow-all"] },
  F19: {
    lines: [
      {
        file: "kernel/src/syscall/permit-issuer.ts",
        line: "this.#approved.delete(process); // one word, one call",
        becomes: "",
      },
    ],
  },
  F20: {
    lines: [
      {
        file: "kernel/src/syscall/permit-issuer.ts",
        line: "this.#approved.delete(process); // one word, one call",
        becomes: "",
      },
      {
        file: "kernel/src/syscall/action.ts",
        line: "canonicalText({ pid, call, args, ...(",
        becomes: "canonicalText({ pid, call, ...(",
      },
    ],
  },
  F21: {
    lines: [
      {
        file: "kernel/src/approval/channels.ts",
        line: 'if (person.startsWith("agt_"))',
        becomes: "if (false)",
      },
    ],
  },
  F22: {
    lines: [
      {
        file: "kernel/src/approval/vote.ts",
        line: 'return isDecision && choice === "deny" ? 1 : quorum;',
        becomes: "return isDecision ? 1 : quorum;",
      },
    ],
  },
  F23: {
    lines: [
      {
        file: "kernel/src/approval/channels.ts",
        line: "if (people.includes(person)) return;",
        becomes: "return;",
      },
    ],
  },
  F24: {
    lines: [
      {
        file: "kernel/src/syscall/approval-requests.ts",
        line: "(ask.expiresMs ?? questions.limits.expiresMs)",
        becomes: "1e9",
      },
    ],
  },
  F25: { configured: ["wide-grants"] },
  F26: {
    lines: [
      {
        file: "kernel/src/syscall/judge.ts",
        line: 'if (verdict.effect === "deny") throw rules.words.noPolicy(subject, verdict);',
        becomes: "",
      },
    ],
  },
  F27: { configured: ["obedient-person"] },
  F28: { configured: ["obedient-person"] },
  F29: {
    lines: [
      {
        file: "kernel/src/capability/chain.ts",
        line: "if (!block.trusted || block.standing !== undefined) continue;",
        becomes: "if (!block.trusted) continue;",
      },
    ],
  },
  F30: { configured: ["no-limits"] },
  F31: {
    lines: [
      {
        file: "kernel/src/capability/chain.ts",
        line: "if (!block.trusted || block.standing !== undefined) continue;",
        becomes: "",
      },
      {
        file: "kernel/src/capability/block.ts",
        line: "const pins = trusted && held.some(",
        becomes: "const pins = held.some(",
      },
    ],
  },
  F32: { configured: ["obedient-person"] },
  F33: { configured: ["obedient-person"] },
  F34: {
    lines: [
      {
        file: "kernel/src/syscall/approval-requests.ts",
        line: 'if (outcome.answer !== "approve") throw saidNo(action.call, outcome);',
        becomes: "",
      },
    ],
  },
  F35: {
    lines: [
      {
        file: "kernel/src/handlers/exec.ts",
        line: "const label = this.#labelOf(work); // its words",
        becomes: "const label = this.#tool.label ?? UNLABELLED; // its words",
      },
    ],
  },
  F36: nameIsEnough,
  F37: nameIsEnough,
  F60: {
    lines: [
      {
        file: "kernel/src/syscall/permit-issuer.ts",
        line: "const now = await this.identified(process, call); // PERMIT-ISSUER-1",
        becomes: "const now = action;",
      },
    ],
  },
  F61: {
    lines: [
      {
        file: "kernel/src/syscall/judge.ts",
        line: "standing.filter((one) => runs !== undefined && one.runs === runs.digest);",
        becomes: "standing;",
      },
    ],
  },
  F62: {
    lines: [
      {
        file: "kernel/src/syscall/approval-requests.ts",
        line: 'runs: action.runs?.digest ?? "",',
        becomes: 'runs: "",',
      },
    ],
  },
  F63: {
    lines: [
      {
        file: "kernel/src/syscall/coverage.ts",
        line: "if (!isOfCall && !isShown(touch, action, covers.reach)) throw words.notShown(touch, ask);",
        becomes: "",
      },
    ],
  },
};
