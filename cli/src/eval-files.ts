// Eval files: reads an Eval file and all that it names, and makes the request of them: the daemon has another folder.
//
// EVAL-FILES-1  Paths of the file are relative to it; those of the command line to the folder of the caller.

import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { OperationArgs } from "@aos/protocol";
import { SysError } from "@aos/protocol/words";
import { parse } from "yaml";
import type { CommandCall } from "./command.ts";
import { readBudget } from "./read-budget.ts";
import { readFile } from "./read-file.ts";
import { readNumberOption } from "./read-number.ts";
import { chosenAgent } from "./spawn-agent.ts";

type Request = OperationArgs<"startEval">;
type Sent = NonNullable<Request["agents"]>[number];

interface Named {
  readonly agents: readonly { readonly ref: string; readonly at: string; readonly name?: string }[];
  readonly files: readonly string[];
  readonly workspace: string | undefined;
}

export function evalRequest(call: Pick<CommandCall, "args" | "options" | "endpoint">): Request {
  const { options, endpoint } = call;
  const path = call.args[0]!;
  const file = readFile(path);
  const folder = dirname(resolve(path));
  const named = namedBy(file.text);
  const listed = options.text("agents");
  const chosen = listed === undefined ? fromFile(named, folder) : fromOption(listed);
  const found = chosen.map((one) => sentAgent(one, endpoint));
  const files = named.files.map((name) => ({ ...readFile(join(folder, name)), file: name }));
  const { workspace } = named;
  const folders = found.flatMap(({ folder: of, sent }) =>
    of === undefined ? [] : [{ ref: sent.ref, folder: of }],
  );
  return {
    file,
    cwd: process.cwd(),
    ...(files.length === 0 ? {} : { files }),
    ...(found.length === 0 ? {} : { agents: found.map(({ sent }) => sent) }),
    ...(folders.length === 0 ? {} : { agentFolders: folders }),
    ...(listed === undefined ? {} : { isAgentsOnly: true }),
    ...(workspace === undefined ? {} : { workspaceFolder: resolve(folder, workspace) }),
    ...wishes(options),
  };
}

function wishes(options: CommandCall["options"]): Partial<Request> {
  const models = options.text("models");
  const repeat = readNumberOption(options.text("repeat"), "--repeat");
  const concurrency = readNumberOption(options.text("concurrency"), "--concurrency");
  const budget = budgetOption(options);
  const failUnder = failUnderOption(options.texts("failUnder"));
  const tenant = options.text("tenant");
  return {
    ...(models === undefined ? {} : { models: split(models) }),
    ...(repeat === undefined ? {} : { repeat }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(budget === undefined ? {} : { budget }),
    ...(failUnder === undefined ? {} : { failUnder }),
    ...(tenant === undefined ? {} : { tenant }),
  };
}

const split = (text: string): string[] =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");

/** Only money limits an evaluation as a whole. */
export function budgetOption(options: CommandCall["options"]): { usd: number } | undefined {
  const text = options.text("budget");
  if (text === undefined) return undefined;
  const { usd, ...rest } = readBudget(text);
  if (usd === undefined || usd <= 0 || Object.keys(rest).length > 0)
    throw new SysError("EINVAL", "--budget of an evaluation is an amount: usd=2", {
      hint: "tokens, tool calls and time of one run are limited by its manifest and by `timeout`",
    });
  return { usd };
}

export function failUnderOption(texts: readonly string[]): Record<string, number> | undefined {
  if (texts.length === 0) return undefined;
  return Object.fromEntries(
    texts.map((text): [string, number] => {
      const [, name = "passed", number = ""] = /^(?:([a-z][a-z0-9_-]*)=)?(.*)$/.exec(text) ?? [];
      const least = Number(number);
      if (number.trim() !== "" && least >= 0 && least <= 1) return [name, least];
      throw new SysError("EINVAL", `--fail-under must be a number from 0 to 1, not ${text}`, {
        hint: "--fail-under 0.9, or --fail-under exact=0.9",
      });
    }),
  );
}

/** What the file names; what is wrong with it, the daemon says with its line. */
function namedBy(text: string): Named {
  let written: unknown;
  try {
    written = parse(text);
  } catch {
    return { agents: [], files: [], workspace: undefined };
  }
  const given = (typeof written === "object" && written !== null ? written : {}) as {
    readonly [field: string]: unknown;
  };
  const { agents, data, scorers, workspace } = given;
  const scripts = listOf(scorers).flatMap((one) =>
    listOf((one as { files?: unknown } | null)?.files),
  );
  return {
    agents: listOf(agents).flatMap((one) => {
      const ref = typeof one === "string" ? one : (one as { agent?: unknown } | null)?.agent;
      return typeof ref === "string" ? [{ ref, at: ref }] : [];
    }),
    files: [...new Set([data, ...scripts].filter((one) => typeof one === "string"))],
    workspace: typeof workspace === "string" ? workspace : undefined,
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** EVAL-FILES-1. */
const fromFile = ({ agents }: Named, folder: string): Named["agents"] =>
  agents.map(({ ref }) => {
    const path = isAbsolute(ref) ? ref : join(folder, ref);
    return { ref, at: existsSync(path) ? path : ref };
  });

const fromOption = (listed: string): Named["agents"] =>
  split(listed).map((one) => {
    const [, name, path] = /^([^=/]+)=(.+)$/.exec(one) ?? [];
    return path === undefined ? { ref: one, at: one } : { ref: path, at: path, name: name! };
  });

function sentAgent(
  { ref, at, name }: Named["agents"][number],
  endpoint: CommandCall["endpoint"],
): { readonly sent: Sent; readonly folder: string | undefined } {
  const { manifest, folder } = chosenAgent(at, endpoint);
  const named = name === undefined ? {} : { name };
  return {
    sent: { ref, ...named, ...(manifest === undefined ? {} : { manifest }) },
    folder: manifest === undefined ? undefined : folder,
  };
}
