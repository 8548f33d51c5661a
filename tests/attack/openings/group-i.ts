// What lets the attacks of group I (programs that break the protocol) through, each by its id: see opening.ts.

import type { Opening } from "./opening.ts";

export const openingsI: Readonly<Record<string, Opening>> = {
  I1: {
    lines: [
      {
        file: "kernel/src/process/call.ts",
        line: "return { copy: value, encoded: encodeArgs(name, withinLimit(text, maxBytes), value, before) };",
        becomes:
          "return { copy: args as Json, encoded: encodeArgs(name, withinLimit(text, maxBytes), value, before) };",
      },
    ],
  },
  I2: {
    lines: [
      {
        file: "kernel/src/process/call.ts",
        line: "return { copy: value, encoded: encodeArgs(name, withinLimit(text, maxBytes), value, before) };",
        becomes:
          "return { copy: args as Json, encoded: encodeArgs(name, withinLimit(text, maxBytes), value, before) };",
      },
    ],
  },
  I3: {
    lines: [
      {
        file: "kernel/src/handlers/exec.ts",
        line: "return this.#tool.run(this.#args.args, work);",
        becomes:
          "return this.#tool.run((this.#asked.call as any).raw?.args ?? this.#args.args, work);",
      },
      {
        file: "kernel/src/process/call.ts",
        line: "interrupt: undefined,",
        becomes: "interrupt: undefined, raw: args,",
      },
    ],
  },
  I4: {
    lines: [
      {
        file: "kernel/src/scheduler/runner.ts",
        line: "const isCurrent = () => process.program === program && !process.ended;",
        becomes: "const isCurrent = () => program !== undefined;",
      },
      { file: "kernel/src/scheduler/runner.ts", line: "if (process.ended) return;", becomes: "" },
    ],
  },
  I5: {
    lines: [
      {
        file: "drivers/src/programs/foreign-program.ts",
        line: 'if (this.#exit !== undefined) return this.#misbehaves("output after exit");',
        becomes: "",
      },
    ],
  },
  I6: { configured: ["no-sandbox"] },
  I7: {
    lines: [
      {
        file: "drivers/src/programs/foreign-program.ts",
        line: "if (this.#pending.has(id)) {",
        becomes: "if (false) {",
      },
    ],
  },
  I8: { configured: ["no-limits"] },
  I9: { configured: ["no-limits"] },
  I10: { configured: ["no-limits"] },
  I11: {
    lines: [
      {
        file: "kernel/src/signal/disposition.ts",
        line: "if (!row.maskable) return row.byDefault;",
        becomes: "",
      },
      {
        file: "kernel/src/signal/disposition.ts",
        line: "if (fixed === undefined) return undefined;",
        becomes: "return undefined;",
      },
    ],
  },
  I12: { configured: ["wide-grants"] },
  I13: { configured: ["wide-grants"] },
};
