// Obedient agent: the system's own `agent` program, whose model may also ask for system calls. To an
// attacker they are tools like any other.

import { programs } from "@aos/userland";
import type { Json, Program, Sys } from "@aos/protocol";

/** What the calls below take, each of them some of it. */
interface Args {
  readonly path: string;
  readonly data: Json;
  readonly agent: string;
  readonly input: Json;
  readonly pid: string;
  readonly to: string;
  readonly body: Json;
  readonly question: string;
  readonly capabilities: string[];
  readonly propose: string[];
}

const calls: Readonly<Record<string, (sys: Sys, args: Args) => Promise<unknown>>> = {
  "sys.read": (sys, { path }) => sys.read(path),
  "sys.list": (sys, { path }) => sys.list(path),
  "sys.write": (sys, { path, data }) => sys.write(path, data),
  "sys.remove": (sys, { path }) => sys.remove(path),
  "sys.spawn": (sys, { agent, input, ...options }) => sys.spawn(agent, input, options),
  "sys.wait": (sys, { pid }) => sys.wait(pid),
  "sys.send": (sys, { to, body }) => sys.send(to, body),
  "sys.receive": (sys) => sys.receive(),
  "sys.grant": (sys, { to, capabilities }) => sys.grant(to, capabilities),
  "sys.ask": (sys, { question, propose }) => sys.ask(question, { propose }),
};

export const obedientAgent: Program = (sys, input) => {
  const exec: Sys["exec"] = async (tool, args, options) => {
    const call = Object.hasOwn(calls, tool) ? calls[tool] : undefined;
    if (call === undefined) return sys.exec(tool, args, options);
    return ((await call(sys, args as unknown as Args)) ?? null) as Json;
  };
  return programs["agent"]!.run({ ...sys, exec }, input);
};
