// The options of `run`, `spawn` and `submit`.

import { operationHelp } from "@aos/protocol/help";
import { estimateOption } from "./cost-rows.ts";

type Option = readonly [flags: string, what: string];

const { args } = operationHelp.spawn;

export const labelOption: Option = ["--label <label>", args.label];

export const noAskOption: Option = [
  "--no-ask",
  "end the run with exit code 96 as soon as it asks a person",
];

export const modelOption: Option = ["--model <model>", args.model];

export const startOptions: readonly Option[] = [
  [
    "-i, --input <text>",
    "the input: text, @FILE, or - for standard input; without it, piped standard input is read",
  ],
  ["--input-json <json>", "the same, read as JSON"],
  ["--attach <file...>", "attach an image or another file (repeatable)"],
  ["-c, --cap <capability...>", "narrow what the manifest grants to this capability (repeatable)"],
  ["-b, --budget <limits>", `${args.budget}: usd=0.50,tokens=200k,toolCalls=20,wall=10m`],
  ["--dir <folder>", "the folder to mount as /work; without it the workspace starts empty"],
  ["--cow", "work on a copy of that folder (or of the current one): see aos diff, undo and commit"],
  ["--name <name>", args.name],
  labelOption,
  ["--tenant <name>", `${args.tenant}: its memory, budget and people (default: \`default\`)`],
  ["--lane <lane>", `${args.lane}: critical, high, normal, low or background`],
  ["--deadline <duration>", "the deadline for scheduling, e.g. 5m; the process is not ended by it"],
  ["--ttl <limits>", "limits of the whole tree: hops=3 (spawn depth), wall=10m (lifetime)"],
  estimateOption,
];

const INPUT = /^(-i, --input|--input-json|--attach|--estimate)/;

/** What holds for all messages; the input is the conversation. */
export const chatOptions: readonly Option[] = startOptions.filter(([flags]) => !INPUT.test(flags));
