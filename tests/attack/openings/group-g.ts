// What lets the attacks of group G (laundering, forks, tenants) through, each by its id: see opening.ts.

import type { Opening } from "./opening.ts";

export const openingsG: Readonly<Record<string, Opening>> = {
  G1: {
    lines: [
      {
        file: "kernel/src/operator/spawner.ts",
        line: "label: parent.label,",
        becomes: "label: CLEAN,",
      },
    ],
  },
  G2: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "...(row.label === null ? {} : { label: readLabel(row.label) }),",
        becomes: "",
      },
    ],
  },
  G3: {
    lines: [
      {
        file: "kernel/src/handlers/messages.ts",
        line: "label: readLabel(message.label),",
        becomes: "",
      },
    ],
  },
  G4: {
    lines: [
      {
        file: "kernel/src/handlers/messages.ts",
        line: "label: readLabel(message.label),",
        becomes: "",
      },
    ],
  },
  G5: {
    lines: [
      {
        file: "kernel/src/handlers/messages.ts",
        line: "label: readLabel(message.label),",
        becomes: "",
      },
    ],
  },
  G6: {
    lines: [
      {
        file: "kernel/src/handlers/files.ts",
        line: "return { value: dataOf(row), label: readLabel(row.label) };",
        becomes: "return { value: dataOf(row) };",
      },
    ],
  },
  G7: {
    lines: [
      {
        file: "kernel/src/handlers/files.ts",
        line: "return { value: piece, label: readLabel(row.label) };",
        becomes: "return { value: piece };",
      },
    ],
  },
  G8: {
    lines: [
      {
        file: "kernel/src/handlers/files.ts",
        line: "return { value: isPage ? firstPage(value, limit ?? USUAL_PAGE) : value, label };",
        becomes: "return { value: isPage ? firstPage(value, limit ?? USUAL_PAGE) : value };",
      },
    ],
  },
  G9: {
    lines: [
      {
        file: "kernel/src/handlers/files.ts",
        line: "return { value, label, ...said };",
        becomes: "return { value, ...said };",
      },
    ],
  },
  G10: {
    lines: [
      {
        file: "kernel/src/vfs/files.ts",
        line: "const both = before === undefined ? label : join(label, readLabel(before.label));",
        becomes: "const both = before === undefined ? label : readLabel(before.label);",
      },
    ],
  },
  G11: {
    lines: [
      {
        file: "kernel/src/syscall/settlement.ts",
        line: "return marks === undefined ? said() : join(said(), marks);",
        becomes: "return said();",
      },
    ],
  },
  G35: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const label = labelOfWords(process);",
        becomes: "const label = undefined;",
      },
    ],
  },
  G12: {
    lines: [
      {
        file: "kernel/src/process/recorded-state.ts",
        line: "process.label = labelIn(records, process.label);",
        becomes: "void labelIn(records, process.label);",
      },
    ],
  },
  G13: {
    lines: [
      {
        file: "kernel/src/process/recorded-state.ts",
        line: "process.label = labelIn(records, process.label);",
        becomes: "void labelIn(records, process.label);",
      },
    ],
  },
  G14: {
    lines: [
      {
        file: "kernel/src/scheduler/supervision.ts",
        line: "label: labelText(process.label),",
        becomes: "",
      },
    ],
  },
  G15: {
    lines: [
      {
        file: "kernel/src/process/process-table.ts",
        line: "if (row.tenant !== process.tenant) throw",
        becomes: "if (row.tenant < 0) throw",
      },
    ],
  },
  G16: {
    lines: [
      {
        file: "kernel/src/process/process-table.ts",
        line: "if (row.tenant !== process.tenant) throw",
        becomes: "if (row.tenant < 0) throw",
      },
    ],
  },
  G17: {
    lines: [
      {
        file: "kernel/src/process/process-table.ts",
        line: "if (row.tenant !== process.tenant) throw",
        becomes: "if (row.tenant < 0) throw",
      },
    ],
  },
  G18: {
    lines: [
      {
        file: "kernel/src/process/process-table.ts",
        line: "if (row.tenant !== process.tenant) throw",
        becomes: "if (row.tenant < 0) throw",
      },
    ],
  },
  G19: {
    lines: [
      {
        file: "kernel/src/vfs/files.ts",
        line: "return this.#journal.store.file(tenant, space, path);",
        becomes:
          "for (let other = 0; other < 99; other++) { const row = await this.#journal.store.file(other, space, path); if (row) return row; } return undefined;",
      },
    ],
  },
  G20: {
    lines: [
      {
        file: "kernel/src/handlers/topics.ts",
        line: "const found = await services.journal.store.subscribers(asked.process.tenant, topic);",
        becomes:
          "const all = await Promise.all([1, 2, 3].map((tenant) => services.journal.store.subscribers(tenant, topic))); const found = { schema: null, subscribers: all.flatMap(({ subscribers }) => subscribers) };",
      },
    ],
  },
  G21: {
    lines: [
      {
        file: "kernel/src/vfs/memory-location.ts",
        line: 'space: mount === "/mem/working" ? key : 0,',
        becomes: "space: mount === undefined ? key : 0,",
      },
    ],
  },
  G22: { configured: ["wide-grants"] },
  G23: { configured: ["wide-grants"] },
  G24: {
    lines: [
      {
        file: "kernel/src/scheduler/runner.ts",
        line: "if (process.replay !== null) return this.ready.enqueue(process);",
        becomes:
          'if (process.replay !== null && name !== "exec") return this.ready.enqueue(process);',
      },
    ],
  },
  G25: { configured: ["obedient-person"] },
  G26: {
    lines: [
      {
        file: "kernel/src/syscall/call-context.ts",
        line: "this.marked = this.#markMore(touch);",
        becomes: "this.marked = Promise.resolve();",
      },
    ],
  },
  G27: {
    lines: [
      {
        file: "kernel/src/label/resource-labels.ts",
        line: "resourceLabel(MACHINE, resource)",
        becomes: "resourceLabel(1 + Math.random(), resource)",
      },
    ],
  },
  G28: {
    lines: [
      {
        file: "kernel/src/label/resource-labels.ts",
        line: 'if (touch.verb === "list") found.push(...(await this.#below(resource)));',
        becomes: "",
      },
    ],
  },
  G29: {
    lines: [
      { file: "kernel/src/process/blocks.ts", line: "return ceiling;", becomes: "return null;" },
    ],
  },
  G30: {
    lines: [
      { file: "kernel/src/process/blocks.ts", line: "return ceiling;", becomes: "return null;" },
    ],
  },
  G31: {
    lines: [
      { file: "kernel/src/process/blocks.ts", line: "return ceiling;", becomes: "return null;" },
    ],
  },
  G32: {
    lines: [
      { file: "kernel/src/process/blocks.ts", line: "return ceiling;", becomes: "return null;" },
    ],
  },
  G33: {
    lines: [
      { file: "kernel/src/process/blocks.ts", line: "return ceiling;", becomes: "return null;" },
    ],
  },
  G34: {
    lines: [
      { file: "kernel/src/process/blocks.ts", line: "return ceiling;", becomes: "return null;" },
    ],
  },
};
