// What lets the attacks of group A (paths) through, each by its id: see opening.ts.

import type { Opening } from "./opening.ts";

export const openingsA: Readonly<Record<string, Opening>> = {
  A1: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/workspace/mapping.ts",
        line: "if (isPlain) return;",
        becomes: "return;",
      },
      {
        file: "drivers/src/tools/file/path-text.ts",
        line: 'if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });',
        becomes: "",
      },
      {
        file: "kernel/src/capability/path-pattern.ts",
        line: 'for (const segment of segments) if (segment === "" || isDots(segment)) return null;',
        becomes: "",
      },
    ],
  },
  A2: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/workspace/mapping.ts",
        line: "if (isPlain) return;",
        becomes: "return;",
      },
      {
        file: "drivers/src/tools/file/path-text.ts",
        line: 'if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });',
        becomes: "",
      },
      {
        file: "kernel/src/capability/path-pattern.ts",
        line: 'for (const segment of segments) if (segment === "" || isDots(segment)) return null;',
        becomes: "",
      },
    ],
  },
  A3: { configured: ["wide-grants"] },
  A4: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/tools/file/path-text.ts",
        line: 'if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });',
        becomes: "",
      },
      {
        file: "drivers/src/workspace/mapping.ts",
        line: "if (isPlain) return;",
        becomes: "return;",
      },
      {
        file: "kernel/src/capability/path-pattern.ts",
        line: 'for (const segment of segments) if (segment === "" || isDots(segment)) return null;',
        becomes: "",
      },
      {
        file: "kernel/src/capability/path-pattern.ts",
        line: 'if (!text.startsWith("/")) return null;',
        becomes: "",
      },
    ],
  },
  A5: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/workspace/mapping.ts",
        line: "if (isPlain) return;",
        becomes: "return;",
      },
      {
        file: "drivers/src/tools/file/path-text.ts",
        line: 'if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });',
        becomes: "",
      },
      {
        file: "kernel/src/capability/path-pattern.ts",
        line: 'for (const segment of segments) if (segment === "" || isDots(segment)) return null;',
        becomes: "",
      },
      {
        file: "drivers/src/tools/file/path-text.ts",
        line: '.overwrite((path) => path.normalize("NFC"))',
        becomes: '.overwrite((path) => path.normalize("NFKC"))',
      },
    ],
  },
  A6: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/workspace/mapping.ts",
        line: "if (isPlain) return;",
        becomes: "return;",
      },
      {
        file: "drivers/src/tools/file/path-text.ts",
        line: 'if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });',
        becomes: "",
      },
      {
        file: "kernel/src/capability/path-pattern.ts",
        line: 'for (const segment of segments) if (segment === "" || isDots(segment)) return null;',
        becomes: "",
      },
      {
        file: "drivers/src/tools/file/path-text.ts",
        line: '.overwrite((path) => path.normalize("NFC"))',
        becomes: ".overwrite((path) => decodeURIComponent(path))",
      },
    ],
  },
  A7: {
    lines: [
      {
        file: "drivers/src/tools/file/path-text.ts",
        line: 'if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });',
        becomes: "",
      },
      {
        file: "kernel/src/capability/characters.ts",
        line: "if (isPlainAscii(text)) return null;",
        becomes: "return null;",
      },
    ],
  },
  A8: {
    lines: [
      {
        file: "drivers/src/tools/file/path-text.ts",
        line: 'if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });',
        becomes: "",
      },
      {
        file: "kernel/src/capability/characters.ts",
        line: "if (isPlainAscii(text)) return null;",
        becomes: "return null;",
      },
    ],
  },
  A9: {
    lines: [
      {
        file: "drivers/src/tools/file/path-text.ts",
        line: 'if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });',
        becomes: "",
      },
      {
        file: "kernel/src/capability/characters.ts",
        line: "if (isPlainAscii(text)) return null;",
        becomes: "return null;",
      },
    ],
  },
  A10: {
    lines: [
      {
        file: "drivers/src/tools/file/path-text.ts",
        line: 'if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });',
        becomes: "",
      },
      {
        file: "kernel/src/capability/characters.ts",
        line: "if (isPlainAscii(text)) return null;",
        becomes: "return null;",
      },
    ],
  },
  A11: {
    lines: [
      {
        file: "drivers/src/tools/file/path-text.ts",
        line: 'if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });',
        becomes: "",
      },
    ],
  },
  A12: { configured: ["wide-grants"] },
  A13: { configured: ["wide-grants"] },
  A14: { configured: ["allow-all"] },
  A15: { configured: ["allow-all"] },
  A16: { configured: ["allow-all"] },
  A17: { configured: ["allow-all"] },
  A18: {
    lines: [
      {
        file: "drivers/src/tools/file/path-text.ts",
        line: 'if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });',
        becomes: "",
      },
      {
        file: "drivers/src/tools/file/open-checked.ts",
        line: "if (isReservedPath(real)) throw elsewhere(real);",
        becomes: "",
      },
    ],
  },
  A19: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/tools/file/path-text.ts",
        line: 'if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });',
        becomes: "",
      },
      {
        file: "drivers/src/tools/file/open-checked.ts",
        line: "if (isReservedPath(real)) throw elsewhere(real);",
        becomes: "",
      },
    ],
  },
  A20: { configured: ["wide-grants"] },
  A21: { configured: ["wide-grants"] },
};
