// What lets the attacks of group O (memory of agents) through, each by its id: see opening.ts.

import type { Opening } from "./opening.ts";

const anyGrant: Opening = {
  lines: [
    {
      file: "kernel/src/capability/obstacle.ts",
      line: 'if (capability.kind === "memory" && !reachesSpace(capability.pattern.text, request.resource))',
      becomes:
        'if (capability.kind === "memory" && !reachesSpace("/mem/agents/", request.resource))',
    },
  ],
};

const oneMemory: Opening = {
  lines: [
    {
      file: "protocol/src/memory-space.ts",
      line: "if (isPart(rest)) return space === TENANT_SPACE ? path : `${BELOW}${space}/${rest}`;",
      becomes: "",
    },
  ],
};

const nameIsEnough: Opening = {
  lines: [
    {
      file: "kernel/src/process/memory-space.ts",
      line: 'return `${name}@${folder === undefined ? "inline" : digestText(folder)}`;',
      becomes: "return folder === '' ? digestText(folder) : name;",
    },
  ],
};

const SPEC = "spec.program === PROGRAM &&";

export const openingsO: Readonly<Record<string, Opening>> = {
  O1: anyGrant,
  O2: anyGrant,
  O3: oneMemory,
  O4: anyGrant,
  O5: anyGrant,
  O6: oneMemory,
  O7: anyGrant,
  O8: oneMemory,
  O9: {
    lines: [
      {
        file: "kernel/src/process/memory-space.ts",
        line: "const whole = `${parent.space ?? parent.pid}~${own}`;",
        becomes: "const whole = parent.space === '' ? parent.pid : own;",
      },
    ],
  },
  O10: nameIsEnough,
  O11: nameIsEnough,
  O13: {
    lines: [
      {
        file: "kernel/src/handlers/files.ts",
        line: "label: atLeast ?? (isSemantic(one) ? OUT_OF_QUARANTINE : undefined),",
        becomes: "label: atLeast ?? (isSemantic('') ? OUT_OF_QUARANTINE : undefined),",
      },
    ],
  },
  O14: {
    lines: [
      {
        file: "kernel/src/memory/embedding-backlog.ts",
        line: ': path.split("/", 4).join("/");',
        becomes: ': path.split("/", 1).join("/");',
      },
    ],
  },
  O15: {
    lines: [
      { file: "kernel/src/vfs/provenance.ts", line: SPEC, becomes: "spec.program !== '' &&" },
    ],
  },
  O16: {
    lines: [{ file: "kernel/src/vfs/provenance.ts", line: "parent === null &&", becomes: "" }],
  },
  O12: {
    lines: [
      {
        file: "kernel/src/vfs/memory-quota.ts",
        line: 'if (!isOver("bytes") && !isOver("files")) return;',
        becomes: 'if (!isOver("bytes") || !isOver("files")) return;',
      },
    ],
  },
};
