// What may be said wherever an agent is started: `run`, `spawn` and `submit`.

import { estimateOption } from "./cost-rows.ts";

type Option = readonly [flags: string, what: string];

export const labelOption: Option = [
  "--label <label>",
  "where it comes from and how secret it is, e.g. untrusted/confidential",
];

export const startOptions: readonly Option[] = [
  [
    "-i, --input <text>",
    "what it is given: text, @FILE, or - for standard input, which is read too where none is given and it is a pipe",
  ],
  ["--input-json <json>", "the same, read as JSON"],
  ["--attach <file...>", "an image or another file that goes with the input (repeatable)"],
  ["-c, --cap <capability...>", "narrow what it may do; every one must allow (repeatable)"],
  ["-b, --budget <limits>", "usd=0.50,tokens=200k,toolCalls=20,wall=10m"],
  ["--dir <folder>", "what /work is; without it the workspace starts empty"],
  ["--cow", "a copy of that folder (or of this one): see aos diff, undo and commit"],
  labelOption,
  ["--tenant <name>", "whose it is: its memory, budget and people; `default` unless told"],
  ["--lane <lane>", "how urgent it is: critical, high, normal, low or background"],
  ["--deadline <duration>", "by when it should be done, e.g. 5m; nothing is ended by it"],
  ["--ttl <limits>", "hops=3,wall=10m: how many spawns deep, and how long its whole tree may live"],
  estimateOption,
];
