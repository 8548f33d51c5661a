// Tell: what an agent does, record by record, for whoever looks at it for the first time.
//
// TELL-1  Everything told is out of the journal: what was not recorded is not said.

import type { Json, JournalRecord, ProcessDetail, Question } from "@aos/protocol";
import { dim, green, red, sayBeside, yellow } from "./lines.ts";

type Result = Pick<Extract<JournalRecord, { kind: "outcome" }>, "ok" | "err" | "heldBy">;
type Ended = Pick<ProcessDetail, "state" | "output" | "error" | "exitCode">;
interface ToolUse {
  readonly tool: string;
  readonly args: Record<string, Json>;
}

/** Tells the records of one process, in their order. */
export function teller(): (record: JournalRecord) => void {
  // An effect has two records; what it was is in the first.
  const begun = new Map<number, ToolUse>();
  return (record) => {
    if (record.kind === "intent") begun.set(record.n, toolUse(record.args));
    else if (record.kind === "outcome") tellUse(begun.get(record.n), record);
    else if (record.kind !== "call") return;
    else if (record.call === "exec") tellUse(toolUse(record.args), record);
    else if (record.call === "infer") tellWords(record);
  };
}

/** What it asks; the same question may have been asked before by others, who get the same answer. */
export function tellQuestion({ id, question, about, pids }: Question, pid: string): void {
  const asked = about === null ? undefined : useOf(about.args);
  sayBeside("ASKS", asked === undefined ? question : inWords(asked), { word: yellow });
  if (about === null) return;
  const read = about.colour === "RED" ? "something untrusted" : about.label;
  sayBeside(
    "",
    `The agent has read ${read} (${about.colour}), so the rule ${about.rule} requires a person's approval.`,
  );
  const others = pids.filter((one) => one !== pid);
  if (others.length === 0) return;
  const all = others.length === 1 ? "both" : `all ${pids.length}`;
  sayBeside(
    "",
    `${others.join(", ")} asked the same before: one answer to ${id} applies to ${all}.`,
  );
}

/** The arguments of a question are JSON, or the beginning of it where they are long. */
function useOf(args: string): ToolUse | undefined {
  try {
    return JSON.parse(args) as ToolUse;
  } catch {
    return undefined;
  }
}

function tellWords({ ok }: Result): void {
  const { text, toolCalls } = (ok ?? {}) as { text?: string; toolCalls?: readonly Json[] };
  // What it says last is told as its result.
  if (text && toolCalls?.length) sayBeside("says", text, { word: dim, text: dim });
}

function tellUse(use: ToolUse | undefined, { err, ok, heldBy }: Result): void {
  if (use === undefined) return;
  if (err === undefined) {
    sayBeside("did", `${inWords(use)} -> ${short(JSON.stringify(ok))}`, { word: green });
    if (heldBy !== undefined) sayBeside("", `in the sandbox: ${heldBy}`, { text: dim });
    return;
  }
  sayBeside("REFUSED", inWords(use), { word: red });
  sayBeside("", `${err.code}: ${err.message}`);
  if (err.hint !== undefined) sayBeside("", `hint: ${err.hint}`, { text: dim });
}

export function tellEnd({ state, output, error, exitCode }: Ended): void {
  const said = typeof output === "string" ? output : JSON.stringify(output);
  if (state === "completed") return sayBeside("done", said, { word: green });
  sayBeside(state.toUpperCase(), error?.message ?? said, { word: red });
  sayBeside("", `exit code ${exitCode}`);
}

const toolUse = (args: Json): ToolUse => args as unknown as ToolUse;

/** Not as a link: the only one that is printed is the page's. */
function inWords({ tool, args: { path, command, url, line } }: ToolUse): string {
  if (Array.isArray(command)) return [tool, ...(command as string[])].join(" ");
  if (typeof url === "string") return `${tool} ${url.replace(/^\w+:\/\//, "")}`;
  const more = typeof line === "string" ? ` "${line}"` : "";
  return `${tool} ${typeof path === "string" ? path : ""}${more}`;
}

const MOST_CHARS = 60;
const short = (text: string): string =>
  text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}...` : text;
