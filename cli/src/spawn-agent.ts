// SpawnAgent: sends the request of `run`, `spawn` and `submit` to the daemon.

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { OperationArgs } from "@aos/protocol";
import { SysError } from "@aos/protocol/words";
import { withAgentSuggestion } from "./agent-suggestion.ts";
import { withAttachments } from "./attachments.ts";
import type { CommandCall } from "./command.ts";
import type { Endpoint } from "./endpoint.ts";
import { readLane } from "./read-lane.ts";
import { readBudget } from "./read-budget.ts";
import { readDurationOption } from "./read-number.ts";
import { readTtl } from "./read-ttl.ts";
import { printProblems } from "./print-problems.ts";
import { printUntrusted } from "./print-untrusted.ts";
import { readInput, readJsonOption, readPiped, readText, readWord } from "./read-input.ts";

type SpawnArgs = OperationArgs<"spawn">;

export async function spawnAgent(call: CommandCall): Promise<string> {
  const asked = await spawnArgs(call);
  try {
    const { pid } = await call.client.spawn(asked);
    const folders = [asked.folder, asked.workspace?.folder, asked.cwd];
    await printProblems(call, folders, await printUntrusted(call, folders));
    return pid;
  } catch (error) {
    throw asked.agent === undefined
      ? error
      : withAgentSuggestion(error, asked.agent, call.endpoint);
  }
}

/** What it is told to start, with nothing started. */
export async function spawnArgs({
  args,
  options,
  out,
  endpoint,
  readsPipe = true,
}: Pick<CommandCall, "args" | "options" | "out" | "endpoint"> & {
  /** Standard input is the input where none is given. */
  readonly readsPipe?: boolean;
}): Promise<SpawnArgs> {
  const capabilities = options.texts("cap");
  const budget = options.text("budget");
  const label = options.text("label");
  const model = options.text("model");
  const name = options.text("name");
  return {
    ...chosenAgent(args[0] ?? "", endpoint),
    ...(readsPipe ? attached(await inputOf(args[1], options, out), options.texts("attach")) : {}),
    ...(capabilities.length === 0 ? {} : { capabilities: [...capabilities] }),
    ...(budget === undefined ? {} : { budget: readBudget(budget) }),
    ...(label === undefined ? {} : { label }),
    ...(model === undefined ? {} : { model }),
    ...(name === undefined ? {} : { name }),
    ...workspaceOption(options),
    ...termsOf(options),
  };
}

/** Whose it is, how urgent, by when, and how far it may go. */
function termsOf(
  options: CommandCall["options"],
): Pick<SpawnArgs, "tenant" | "lane" | "deadlineMs" | "ttl"> {
  const tenant = options.text("tenant");
  const lane = options.text("lane");
  const deadlineMs = readDurationOption(options.text("deadline"), "--deadline");
  const ttl = options.text("ttl");
  return {
    ...(tenant === undefined ? {} : { tenant }),
    ...(lane === undefined ? {} : { lane: readLane(lane) }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(ttl === undefined ? {} : { ttl: readTtl(ttl) }),
  };
}

/** `--dir` is the workspace itself, with `--cow` a copy of it. */
export function workspaceOption(options: CommandCall["options"]): Pick<SpawnArgs, "workspace"> {
  const folder = options.text("dir");
  const isCow = options.flag("cow");
  if (folder !== undefined) return { workspace: { folder: resolve(folder), isCow } };
  if (!isCow) return {};
  return { workspace: { folder: process.cwd(), isCow } };
}

/** A file, a folder with agent.yaml, or else a name for the daemon to find. */
export function chosenAgent(
  text: string,
  endpoint: Endpoint,
): Pick<SpawnArgs, "agent" | "manifest" | "folder" | "cwd"> {
  const file = isOfHome(text, endpoint) ? undefined : manifestFile(text);
  if (file === undefined) return { agent: text, cwd: process.cwd() };
  const folder = dirname(resolve(file));
  return { manifest: { text: readFileSync(file, "utf8"), file }, folder, cwd: process.cwd() };
}

/** A name of the operator's own: a file or folder that happens to lie here does not take it. */
const isOfHome = (text: string, { home, remote }: Endpoint): boolean =>
  remote === undefined && !looksLikePath(text) && existsSync(join(home, "agents", `${text}.yaml`));

function manifestFile(text: string): string | undefined {
  const found = statSync(text, { throwIfNoEntry: false });
  if (found?.isFile()) return text;
  if (found?.isDirectory()) {
    const file = join(text, "agent.yaml");
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
  }
  if (!looksLikePath(text)) return undefined;
  throw new SysError(
    "ENOENT",
    found === undefined ? `${text} does not exist` : `no agent.yaml in ${text}`,
    { hint: "pass a manifest file, a folder with agent.yaml, or the name of an agent" },
  );
}

const looksLikePath = (text: string): boolean => /\/|^\.|\.ya?ml$/.test(text);

function attached(
  { input }: Pick<SpawnArgs, "input">,
  files: readonly string[],
): Pick<SpawnArgs, "input"> {
  const both = withAttachments(input, files);
  return both === undefined ? {} : { input: both };
}

async function inputOf(
  words: string | undefined,
  options: CommandCall["options"],
  out: CommandCall["out"],
): Promise<Pick<SpawnArgs, "input">> {
  const text = options.text("input");
  const json = options.text("inputJson");
  if ([words, text, json].filter((given) => given !== undefined).length > 1) {
    throw new SysError("EINVAL", "the input was given more than once", {
      hint: "pass it as an argument, with --input, or with --input-json",
    });
  }
  if (json !== undefined) return { input: readJsonOption(await readText(json), "--input-json") };
  if (text !== undefined) return { input: await readInput(text) };
  if (words !== undefined) return { input: await readWord(words) };
  const piped = await readPiped((what) => out.note(what));
  return piped === undefined ? {} : { input: piped };
}
