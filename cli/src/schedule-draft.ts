// ScheduleDraft: a schedule as it is sent to the daemon: from a file, or from options.

import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Json, OperationArgs, ScheduleReport } from "@aos/protocol";
import { SysError } from "@aos/protocol/words";
import { parse } from "yaml";
import type { CommandCall, Options } from "./command.ts";
import { readFile } from "./read-file.ts";
import { readInput, readJsonOption, readText } from "./read-input.ts";
import { readNumberOption } from "./read-number.ts";
import { chosenAgent, workspaceOption } from "./spawn-agent.ts";

/** What a new time, interval or event takes the place of. */
const WHEN = {
  cron: ["every", "phase", "on", "perHour"],
  every: ["cron", "phase", "on", "perHour"],
  on: ["cron", "every", "phase", "jitter", "catchUp"],
} as const;

type Draft = OperationArgs<"createSchedule">;
type Fields = Record<string, Json>;

const WORDS = {
  cron: "cron",
  timezone: "timeZone",
  every: "every",
  agent: "agent",
  jitter: "jitter",
  overlap: "overlap",
  catchUp: "catchUp",
  lane: "lane",
  label: "label",
} as const;

/** `before` is what the options change; without it they are all that there is. */
export async function scheduleDraft(
  call: CommandCall,
  before?: ScheduleReport,
): Promise<Draft & { readonly name: string }> {
  const { args, options, endpoint } = call;
  const [given = ""] = args;
  const tenant = options.text("tenant");
  const from = isFile(given) ? readFile(given) : undefined;
  const said = await fieldsOf(options);
  if (from !== undefined && Object.keys(said).length > 0)
    throw new SysError("EINVAL", "options change nothing of a file", {
      hint: "write them into the file, or name the schedule in place of the file",
    });
  const fields = from === undefined ? written(given, said, before) : writtenFields(from.text);
  const folder = from === undefined ? process.cwd() : dirname(resolve(from.file));
  return {
    name: typeof fields["name"] === "string" ? fields["name"] : given,
    schedule: from ?? { file: given, text: JSON.stringify(fields) },
    ...agentFiles(fields["agent"], folder, endpoint),
    ...workspaceOption(options),
    cwd: process.cwd(),
    ...(tenant === undefined ? {} : { tenant }),
  };
}

function written(name: string, said: Fields, before: ScheduleReport | undefined): Fields {
  if (before !== undefined && Object.keys(said).length === 0)
    throw new SysError("EINVAL", "nothing to change", { hint: "pass options, or a file" });
  const old = { ...(before?.schedule as Fields | undefined) };
  const newTime = (["cron", "every", "on"] as const).find((field) => field in said);
  for (const field of newTime === undefined ? [] : WHEN[newTime]) delete old[field];
  if ("agent" in said) delete old["manifest"];
  return { apiVersion: "aos/v1", kind: "Schedule", name, ...old, ...said };
}

async function fieldsOf(options: Options): Promise<Fields> {
  const fields: Fields = {};
  for (const [option, field] of Object.entries(WORDS)) {
    const text = options.text(option);
    if (text !== undefined) fields[field] = text;
  }
  const [input, json] = [options.text("input"), options.text("inputJson")];
  if (input !== undefined) fields["input"] = await readInput(input);
  if (json !== undefined) fields["input"] = readJsonOption(await readText(json), "--input-json");
  for (const option of ["budget", "monthly"] as const) {
    const text = options.text(option);
    if (text !== undefined) fields[option] = limitsOf(text, `--${option}`);
  }
  const on = triggerOf(options);
  if (on !== undefined) fields["on"] = on;
  const perHour = readNumberOption(options.text("perHour"), "--per-hour");
  if (perHour !== undefined) fields["perHour"] = perHour;
  const capabilities = options.texts("cap");
  if (capabilities.length > 0) fields["capabilities"] = [...capabilities];
  const pauseAfter = readNumberOption(options.text("pauseAfter"), "--pause-after");
  if (pauseAfter !== undefined) fields["pauseAfter"] = pauseAfter;
  if (options.flag("paused")) fields["paused"] = true;
  return fields;
}

/** The event that starts it, as a file has it. */
function triggerOf(options: Options): Fields | undefined {
  const [secret, signature] = [options.text("onWebhook"), options.text("signature")];
  const [topic, files, agent] = ["onTopic", "onFiles", "onRun"].map((name) => options.text(name));
  const states = options.texts("state");
  const webhook = { secret: secret ?? "", ...(signature === undefined ? {} : { signature }) };
  const on = {
    ...(secret === undefined && signature === undefined ? {} : { webhook }),
    ...(topic === undefined ? {} : { topic }),
    ...(files === undefined ? {} : { files: { folder: resolve(files) } }),
    ...(agent === undefined && states.length === 0
      ? {}
      : { run: { agent: agent ?? "", ...(states.length === 0 ? {} : { states: [...states] }) } }),
  };
  return Object.keys(on).length === 0 ? undefined : on;
}

/** As a file has them: the daemon reads the quantities. */
function limitsOf(text: string, option: string): Fields {
  const fields: Fields = {};
  for (const part of text.split(",")) {
    const [name = "", value = ""] = part.split("=");
    if (name === "" || value === "")
      throw new SysError("EINVAL", `${option}: ${JSON.stringify(part)} is not NAME=VALUE`, {
        hint: `e.g. ${option} usd=0.50,tokens=200k`,
      });
    fields[name] = name === "usd" || name === "toolCalls" ? Number(value) : value;
  }
  return fields;
}

/** An agent that is a file is sent along. */
export function agentFiles(
  agent: Json | undefined,
  folder: string,
  endpoint: CommandCall["endpoint"],
): Pick<Draft, "manifest" | "folder"> {
  if (typeof agent !== "string") return { folder };
  const path = /^\.{1,2}\//.test(agent) ? resolve(folder, agent) : agent;
  const { manifest, folder: of } = chosenAgent(path, endpoint);
  return manifest === undefined ? {} : { manifest, folder: of! };
}

/** The fields of a YAML text, as far as it is one. */
export function writtenFields(text: string): Fields {
  try {
    const read = parse(text) as unknown;
    return typeof read === "object" && read !== null ? (read as Fields) : {};
  } catch {
    return {}; // the daemon says what is wrong with it, and where
  }
}

const isFile = (given: string): boolean =>
  /[./]/.test(given) && existsSync(given) && statSync(given).isFile();
