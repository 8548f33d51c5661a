// What lets the attacks of group N (reported usage and prices) through, each by its id: see opening.ts.

import type { Opening } from "./opening.ts";

export const openingsN: Readonly<Record<string, Opening>> = {
  N1: {
    lines: [
      {
        file: "kernel/src/handlers/infer.ts",
        line: "(costOf(usd) ?? worst.microUsd)",
        becomes: "usd * 1e6",
      },
      {
        file: "kernel/src/budget/accounts.ts",
        line: "const { spent, over } = chargedOf(reported, worst);",
        becomes: "const { spent, over } = { spent: reported, over: NO_OVERRUN };",
      },
    ],
  },
  N2: {
    lines: [
      {
        file: "kernel/src/handlers/infer.ts",
        line: "const { usage, isSound } = soundUsage(said, worst);",
        becomes: "const { usage, isSound } = { usage: said, isSound: true };",
      },
      {
        file: "kernel/src/budget/accounts.ts",
        line: "const { spent, over } = chargedOf(reported, worst);",
        becomes: "const { spent, over } = { spent: reported, over: NO_OVERRUN };",
      },
    ],
  },
  N3: {
    lines: [
      {
        file: "kernel/src/budget/accounts.ts",
        line: "const { spent, over } = chargedOf(reported, worst);",
        becomes: "const { spent, over } = { spent: reported, over: NO_OVERRUN };",
      },
    ],
  },
  N4: {
    lines: [
      {
        file: "kernel/src/handlers/infer.ts",
        line: "(costOf(usd) ?? worst.microUsd)",
        becomes: "(costOf(usd) ?? 0)",
      },
    ],
  },
  N5: {
    lines: [
      {
        file: "kernel/src/handlers/infer.ts",
        line: "const { usage, isSound } = soundUsage(said, worst);",
        becomes: "const { usage, isSound } = { usage: said, isSound: true };",
      },
      {
        file: "kernel/src/budget/accounts.ts",
        line: "const { spent, over } = chargedOf(reported, worst);",
        becomes: "const { spent, over } = { spent: reported, over: NO_OVERRUN };",
      },
    ],
  },
  N6: {
    lines: [
      {
        file: "kernel/src/syscall/action.ts",
        line: "const microUsd = usd === null ? 0 : costOf(usd);",
        becomes: "const microUsd = usd === null ? 0 : usd * 1e6;",
      },
      {
        file: "kernel/src/budget/accounts.ts",
        line: "const { spent, over } = chargedOf(reported, worst);",
        becomes: "const { spent, over } = { spent: reported, over: NO_OVERRUN };",
      },
    ],
  },
  N7: {
    lines: [
      {
        file: "protocol/src/money.ts",
        line: "return Math.min(toMicroUsd(usd), MAX_FIGURE);",
        becomes: "return usd * 1e6;",
      },
    ],
  },
};
