// What lets the attacks of group L (endorsement) through, each by its id: see opening.ts.

import type { Opening } from "./opening.ts";

export const openingsL: Readonly<Record<string, Opening>> = {
  L1: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const open = schema === undefined ? undefined : openness(schema);",
        becomes: "const open = undefined;",
      },
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L2: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const open = schema === undefined ? undefined : openness(schema);",
        becomes: "const open = undefined;",
      },
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L3: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const open = schema === undefined ? undefined : openness(schema);",
        becomes: "const open = undefined;",
      },
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L4: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const open = schema === undefined ? undefined : openness(schema);",
        becomes: "const open = undefined;",
      },
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L5: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const open = schema === undefined ? undefined : openness(schema);",
        becomes: "const open = undefined;",
      },
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L6: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const open = schema === undefined ? undefined : openness(schema);",
        becomes: "const open = undefined;",
      },
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L7: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const open = schema === undefined ? undefined : openness(schema);",
        becomes: "const open = undefined;",
      },
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L8: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const open = schema === undefined ? undefined : openness(schema);",
        becomes: "const open = undefined;",
      },
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L9: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const open = schema === undefined ? undefined : openness(schema);",
        becomes: "const open = undefined;",
      },
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L10: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const open = schema === undefined ? undefined : openness(schema);",
        becomes: "const open = undefined;",
      },
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L11: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const open = schema === undefined ? undefined : openness(schema);",
        becomes: "const open = undefined;",
      },
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L12: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L13: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L14: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L15: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L16: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L17: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "const problem = schemaMismatch(schema, row.output);",
        becomes: "const problem = undefined;",
      },
    ],
  },
  L18: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "if (other !== undefined)",
        becomes: "if (false)",
      },
    ],
  },
  L19: {
    lines: [
      {
        file: "kernel/src/handlers/processes.ts",
        line: "if (other !== undefined)",
        becomes: "if (false)",
      },
    ],
  },
  L20: { configured: ["allow-all"] },
};
