// Scripted models: `scripted/NAME` answers from NAME.yaml, without key or network, for demos and tests (script.ts has
// the format).
//
// SCRIPTED-1  It keeps nothing between requests.
// SCRIPTED-2  It never uses more than `worstCase`: a longer answer is cut with the finish `length`.

import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  canonicalText,
  type Message,
  type ModelDriver,
  type SyscallArgs,
  SysError,
} from "@aos/protocol";
import { chooseAnswer, cutAt, speak, tokensIn, tokensSpoken } from "./conversation.ts";
import { readScript, type Script, type ScriptText } from "./script.ts";

export type { ScriptText } from "./script.ts";

const PROVIDER = "scripted";
const SCRIPT_NAME = /^[a-z0-9][a-z0-9._-]*$/;
const DEFAULT_MAX_TOKENS = 4096;
/** In a folder of agents NAME.yaml is the agent, and its script is elsewhere. */
const IS_MANIFEST = /^["']?apiVersion["']?\s*:\s*["']?aos\//m;

type Request = SyscallArgs<"infer">;

export interface ScriptedModelsOptions {
  /** Where NAME.yaml is looked for, in this order. Read at every request, so it may grow. */
  readonly folders: readonly string[];
  /** Scripts that are no files. They come before the folders. */
  readonly scripts?: Readonly<Record<string, ScriptText>>;
}

export function createScriptedModels(options: ScriptedModelsOptions): ModelDriver {
  return {
    provider: PROVIDER,
    egress: false,
    worstCase: (request) => ({ usd: 0, tokens: tokensAsked(request) + maxTokens(request) }),

    async infer(request, context) {
      const { signal } = context;
      refuseIfStopped(signal);
      const script = await findScript(nameOf(request.model), options);
      const answer = chooseAnswer(script, request.messages);
      if (answer === undefined) throw nothingFits(request);

      if (answer.delayMs !== undefined) await pause(answer.delayMs, signal);

      const whole = speak(answer, request.messages);
      const isLong = tokensSpoken(whole) > maxTokens(request);
      const cut = isLong && answer.verbatim !== true;
      const spoken = cut ? cutAt(whole, maxTokens(request)) : whole;
      for (const text of piecesOf(spoken.text)) {
        if (answer.pieceMs !== undefined) await pause(answer.pieceMs, signal);
        context.progress({ kind: "text", text });
      }
      return {
        ...spoken,
        finish: cut ? "length" : (answer.finish ?? (spoken.toolCalls.length > 0 ? "tool" : "stop")),
        usage: {
          inputTokens: tokensAsked(request),
          outputTokens: Math.min(tokensSpoken(spoken), maxTokens(request)),
        },
        usd: 0,
      };
    },
  };
}

/** Words, each with the space before it: together they are the text. */
const piecesOf = (text: string): readonly string[] => text.match(/\s*\S+|\s+$/g) ?? [];

const maxTokens = (request: Request): number => request.maxTokens ?? DEFAULT_MAX_TOKENS;

function tokensAsked({ messages, tools = [] }: Request): number {
  return tokensIn([
    ...messages.map(
      ({ content, toolCalls }) => content + (toolCalls ? canonicalText(toolCalls) : ""),
    ),
    ...tools.map((tool) => canonicalText(tool)),
  ]);
}

function nameOf(model: string): string {
  const name = model.slice(PROVIDER.length + 1);
  if (model.startsWith(`${PROVIDER}/`) && SCRIPT_NAME.test(name)) return name;
  throw new SysError("EINVAL", `"${model}" is not the name of a scripted model`, {
    hint: "write scripted/NAME, with a NAME of a-z 0-9 . _ - that starts with a letter or digit",
  });
}

async function findScript(
  name: string,
  { folders, scripts = {} }: ScriptedModelsOptions,
): Promise<Script> {
  const given = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (given !== undefined) return readScript(given, `script ${name}`);

  for (const folder of folders) {
    const file = join(folder, `${name}.yaml`);
    const text = await textOf(file);
    if (text !== undefined && !IS_MANIFEST.test(text)) return readScript(text, file);
  }
  throw new SysError("ENOENT", `no script found for ${PROVIDER}/${name}`, {
    hint: `create ${name}.yaml in ${folders.length > 0 ? folders.join(" or ") : "the agent's folder"}`,
  });
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    // Most places have none, and an error that says so costs many times the look.
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new SysError("EUPSTREAM", `the script cannot be read: ${(error as Error).message}`);
  }
}

async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(delayMs, undefined, { signal });
  } catch (error) {
    refuseIfStopped(signal);
    throw error;
  }
}

function refuseIfStopped(signal: AbortSignal): void {
  if (!signal.aborted) return;
  if (signal.reason instanceof SysError) throw signal.reason;
  throw new SysError("EINTR", "the request was cancelled before its answer");
}

function nothingFits({ model, messages }: Request): SysError {
  const turn = messages.filter(({ role }) => role === "assistant").length + 1;
  return new SysError(
    "EUPSTREAM",
    `${model} has no answer: no entry of the script matches turn ${turn}, where ${shown(messages.at(-1))}`,
    { hint: "add a matching turn, or `otherwise`" },
  );
}

const SHOWN_CHARS = 200;

function shown(last: Message | undefined): string {
  if (last === undefined) return "there is no message";
  const { role, content } = last;
  const text =
    content.length > SHOWN_CHARS ? `${content.slice(0, SHOWN_CHARS).toWellFormed()}…` : content;
  return `the last message is of role ${role} and says ${JSON.stringify(text)}`;
}
