// Serve: the loop of the host. It loads modules, describes their tools, and makes the calls.
//
// Output of tools goes to standard error: standard output carries the protocol.

import { createInterface } from "node:readline";
import type { FailureText, Json, Tool } from "@aos/protocol";
import { SysError } from "@aos/protocol/words";
import type { ToHost } from "../host-protocol.ts";
import { statementOf, toolsOf } from "./describe.ts";
import { DaemonRequests, toolContext } from "./tool-context.ts";

const write = process.stdout.write.bind(process.stdout);

const say = (id: number | string, method: string, params: unknown): void => {
  write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
};

export function serve(sources: Map<string, string>): void {
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const tools = new Map<string, Tool>();
  const running = new Map<number, AbortController>();
  const asking = new DaemonRequests((id, what, args) => say(id, "ask", { what, args }));

  const load = async ({ files, main }: Extract<ToHost, { say: "load" }>): Promise<void> => {
    for (const [url, text] of Object.entries(files)) sources.set(url, text);
    const statements: Json[] = [];
    const flaws: { file: string; what: string }[] = [];
    for (const file of main) {
      say(0, "loading", { file });
      try {
        const found = toolsOf((await import(file)) as object, file);
        flaws.push(...found.flaws);
        for (const tool of found.tools) {
          const isTaken = tools.has(tool.name);
          if (isTaken) flaws.push({ file, what: `two tools are called ${tool.name}` });
          else statements.push(statementOf(tool, file));
          if (!isTaken) tools.set(tool.name, tool);
        }
      } catch (error) {
        flaws.push({ file: placeOf(error, file, files[file] ?? ""), what: messageOf(error) });
      }
    }
    say(0, "described", { tools: statements, flaws });
  };

  const call = async ({ id, tool, args, context }: Extract<ToHost, { say: "call" }>) => {
    const stop = new AbortController();
    running.set(id, stop);
    try {
      const known = tools.get(tool);
      if (known === undefined) throw new SysError("ENOENT", `unknown tool ${tool}`);
      const told = toolContext(context, stop.signal, asking.for(id));
      const ok = (await known.run(args, told as never)) ?? null;
      say(id, "done", { ok });
    } catch (error) {
      say(id, "done", { err: failureOf(tool, error) });
    } finally {
      running.delete(id);
    }
  };

  const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
  lines.on("line", (line) => {
    const told = JSON.parse(line) as ToHost;
    if (told.say === "load") void load(told);
    else if (told.say === "call") void call(told);
    else if (told.say === "reply") asking.hear(told.id, told);
    else running.get(told.id)?.abort(SysError.from(told.reason));
  });
  lines.on("close", () => process.exit(0));
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** The file, with the line where the error says one. */
function placeOf(error: unknown, file: string, text: string): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  for (const place of [file, decodeURIComponent(new URL(file).pathname)]) {
    const line = /^:(\d+)/.exec(stack.slice(stack.indexOf(place) + place.length))?.[1];
    if (stack.includes(place) && line !== undefined) return `${file}:${line}`;
  }
  // What cannot be imported has no place in the stack: it is where its name is written.
  const missing = /^Cannot find (?:package|module) '([^']+)'/.exec(messageOf(error))?.[1];
  const at =
    missing === undefined ? -1 : text.split("\n").findIndex((one) => one.includes(missing));
  return at < 0 ? file : `${file}:${at + 1}`;
}

function failureOf(tool: string, error: unknown): FailureText {
  if (error instanceof SysError) return error.toText();
  const message = error instanceof Error ? error.message : String(error);
  return { code: "EUPSTREAM", message: `${tool}: ${message}` };
}
