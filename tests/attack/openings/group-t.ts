// What lets the attacks of group T (power files and untrusted folders) through, each by its id: see opening.ts.

import type { Opening } from "./opening.ts";

export const openingsT: Readonly<Record<string, Opening>> = {
  T1: {
    lines: [
      {
        file: "drivers/src/workspace/guard.ts",
        line: "      taken.push(await takeAway(root, now, quarantine));",
        becomes: "",
      },
    ],
  },
  T2: {
    lines: [
      {
        file: "drivers/src/workspace/guard.ts",
        line: "      taken.push(await takeAway(root, now, quarantine));",
        becomes: "",
      },
    ],
  },
  T3: {
    lines: [
      {
        file: "drivers/src/workspace/guard.ts",
        line: "  await moveBack(root, found);",
        becomes: "",
      },
    ],
  },
  T4: {
    lines: [
      {
        file: "drivers/src/workspace/guard-scan.ts",
        line: '  if (isGit && kind === "folder" && name === "hooks") return "read";',
        becomes: "",
      },
    ],
  },
  T5: {
    lines: [
      {
        file: "drivers/src/workspace/guard-scan.ts",
        line: '  if (isGit && kind !== "folder" && GIT_FILES.test(name)) return "read";',
        becomes: "",
      },
    ],
  },
  T6: {
    lines: [
      {
        file: "drivers/src/workspace/hidden.ts",
        line: '({ kind, text }) => kind === "other" || (kind !== "folder" && !mayRead(`${name}/${text}`)),',
        becomes: "({ kind }) => kind === 'other' && !mayRead(name),",
      },
    ],
  },
  T7: {
    lines: [
      {
        file: "drivers/src/workspace/hidden.ts",
        line: '({ kind, text }) => kind === "other" || (kind !== "folder" && !mayRead(`${name}/${text}`)),',
        becomes: "({ kind }) => kind === 'other' && !mayRead(name),",
      },
    ],
  },
  T8: {
    lines: [
      {
        file: "daemon/src/trust/library-trust.ts",
        line: "return isNamed ? trustAnyFolder(folder, tenant) : undefined;",
        becomes: "return folder === undefined ? undefined : trustAnyFolder(folder, tenant);",
      },
    ],
  },
  T9: {
    lines: [
      {
        file: "drivers/src/workspace/guard.ts",
        line: "      taken.push(await takeAway(root, now, quarantine));",
        becomes: "",
      },
    ],
  },
};
