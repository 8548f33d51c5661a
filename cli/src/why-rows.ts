// Rows about why something came about, and about looking at it closely: a part of the commands
// (commands.ts).

import type { CommandRow } from "./command.ts";

export const whyRows: readonly CommandRow[] = [
  {
    usage: "why <pid> [seq]",
    summary: "Say why it ended as it did, or what led to a record.",
    description:
      "From the record back to who began it, over every process that had a part in it: what was refused and by which rule or missing grant, who approved and when, which read made it RED, what each call cost. SEQ is the record's number in `aos logs`. It ends with the commands to type next.",
    examples: ["aos why @last", "aos why @last 7", "aos why agt_01kx -o json"],
    startsDaemon: true,
    load: () => import("./commands/why.ts"),
  },
  {
    usage: "debug <pid>",
    summary: "Step through what it did; edit a result and go on in a fork.",
    description:
      "On a terminal: n and p step, g goes to a record, / searches, e edits the result of a call in $EDITOR and continues in a fork, f forks, r checks the replay, q leaves. Elsewhere it prints the core dump that an abnormal end left.",
    options: [
      ["--core", "print the core dump, on a terminal too"],
      ["--at <seq>", "print the process as it was at this record: record, context, label, budget"],
      ["--edit <seq>", "with --result: go on in a fork in which this call came to something else"],
      ["--result <json>", "with --edit: what it came to; @FILE, or - for standard input"],
    ],
    examples: [
      "aos debug @last",
      "aos debug agt_01kx --core -o json",
      "aos debug agt_01kx --at 7",
      `aos debug agt_01kx --edit 7 --result '{"ok": true}'`,
    ],
    startsDaemon: true,
    load: () => import("./commands/debug.ts"),
  },
];
