// What lets the attacks of group C (patterns and grammar) through, each by its id: see opening.ts.

import type { Opening } from "./opening.ts";

export const openingsC: Readonly<Record<string, Opening>> = {
  C1: { configured: ["wide-grants"] },
  C2: {
    lines: [
      {
        file: "kernel/src/capability/host-pattern.ts",
        line: "return host.endsWith(want.host);",
        becomes: "return host.endsWith(want.host.slice(1));",
      },
    ],
  },
  C3: { configured: ["wide-grants"] },
  C4: {
    lines: [
      {
        file: "kernel/src/capability/host-pattern.ts",
        line: 'return DIGITS.includes(host.charAt(host.lastIndexOf(".") + 1));',
        becomes: "return false;",
      },
    ],
  },
  C5: {
    lines: [
      {
        file: "kernel/src/capability/host-pattern.ts",
        line: "if (isGrantedByNameOnly(host)) return false;",
        becomes: "",
      },
    ],
  },
  C6: {
    lines: [
      {
        file: "kernel/src/capability/host-pattern.ts",
        line: "if (isGrantedByNameOnly(host)) return false;",
        becomes: "",
      },
    ],
  },
  C7: {
    lines: [
      {
        file: "kernel/src/capability/host-pattern.ts",
        line: "if (want.port === 0 ? !isUsualPort(target.port) : want.port !== target.port) return false;",
        becomes: "",
      },
    ],
  },
  C8: { configured: ["wide-grants"] },
  C9: {
    lines: [
      {
        file: "kernel/src/capability/host-pattern.ts",
        line: 'if (text.includes("%") && hidesSeparator(text.toLowerCase())) return null;',
        becomes: "",
      },
    ],
  },
  C10: { configured: ["wide-grants"] },
  C11: { configured: ["wide-grants"] },
  C12: { configured: ["wide-grants"] },
  C13: {
    lines: [
      {
        file: "kernel/src/capability/constraints.ts",
        line: 'if (row === undefined) throw new CapabilityError(`unknown constraint "${name}"`, text, nameAt);',
        becomes: "if (row === undefined) return;",
      },
    ],
  },
  C14: {
    lines: [
      {
        file: "kernel/src/capability/constraints.ts",
        line: "this.#once(name, text, nameAt);",
        becomes: "",
      },
    ],
  },
  C15: {
    lines: [
      {
        file: "kernel/src/capability/units.ts",
        line: 'if (digits === "" || digits.length < text.length) {',
        becomes: "if (false) {",
      },
      {
        file: "kernel/src/capability/units.ts",
        line: "return Number(digits);",
        becomes: "return Math.abs(Number(text)) || 9;",
      },
    ],
  },
  C16: {
    lines: [
      {
        file: "kernel/src/capability/constraints.ts",
        line: 'if (row === undefined) throw new CapabilityError(`unknown constraint "${name}"`, text, nameAt);',
        becomes: "if (row === undefined) return;",
      },
    ],
  },
  C17: {
    lines: [
      {
        file: "kernel/src/capability/path-pattern.ts",
        line: "export const MAX_STARS = 4;",
        becomes: "export const MAX_STARS = 40;",
      },
    ],
  },
  C18: { configured: ["wide-grants"] },
  C19: { configured: ["wide-grants"] },
  C20: { configured: ["wide-grants"] },
  C21: { configured: ["wide-grants"] },
};
